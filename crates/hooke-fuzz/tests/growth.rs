//! Four times the input takes about four times the memory, all that is ever asked for counted:
//! what grows with the square of the input shows.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke_fuzz::meter::{Meter, measure};
use hooke_scene::Scene;
use hooke_scene::import::{Limits, gltf, msh, obj, ply, stl, tetgen};

#[global_allocator]
static ALLOCATOR: Meter = Meter;

/// Sizes of small inputs; large ones are four times as large.
const SMALL: usize = 1500;
/// Four, and what lists that grow by doubling may add.
const MOST: f64 = 6.0;

/// Compares what `run` takes for a small input and for one four times as large.
#[track_caller]
fn grows_with_its_size(name: &str, make: impl Fn(usize) -> String, run: impl Fn(&str) -> bool) {
    let taken = |size: usize| {
        let text = make(size);
        let (fine, taken) = measure(|| run(&text));
        assert!(fine, "{name}: the input is not what it should be");
        [taken.bytes, taken.peak].map(|bytes| bytes as f64)
    };
    let (small, large) = (taken(SMALL), taken(4 * SMALL));
    for (small, large) in small.into_iter().zip(large) {
        let ratio = large / small.max(4096.0);
        assert!(ratio < MOST, "{name}: {ratio:.1} times as much ({small} and {large} bytes)");
    }
}

/// A line for every number below `count`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|i| line(i) + "\n").collect()
}

#[test]
fn meshes() {
    let limits = Limits::default();
    let square = |i: usize| format!("v {i} 0 0\nv {i} 1 0\nv {i} 0 1\nf -3 -2 -1");
    let reads = |text: &str| obj::parse(text.as_bytes(), &limits).is_ok();
    grows_with_its_size("obj", |n| lines(n, square), reads);
    grows_with_its_size(
        "obj: a group each",
        |n| lines(n, |i| format!("g a{i} b{i}\no c{i}\n{}", square(i))),
        reads,
    );
    grows_with_its_size(
        "obj: one group, many times",
        |n| lines(n, |i| format!("g a b c\nusemtl d{}\n{}", i % 2, square(i))),
        reads,
    );
    grows_with_its_size(
        "obj: one face of many lines",
        |n| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {}1 2 3\n", "1 2 3 \\\n".repeat(n)),
        reads,
    );
    grows_with_its_size(
        "obj: unknown statements",
        |n| format!("v 0 0 0\n{}", lines(n, |i| format!("x{i} 1"))),
        reads,
    );
    grows_with_its_size(
        "ply",
        |n| {
            let header = format!(
                "ply\nformat ascii 1.0\nelement vertex {n}\nproperty float x\nproperty float y\n\
                 property float z\nelement face {n}\nproperty list int int vertex_indices\n\
                 end_header\n"
            );
            header + &lines(n, |i| format!("{i} 0 1")) + &"3 0 1 2\n".repeat(n)
        },
        |text| ply::parse(text.as_bytes(), &limits).is_ok(),
    );
    grows_with_its_size(
        "ply: properties",
        |n| {
            let header = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n\
                          property float y\nproperty float z\n";
            let more = lines(n, |i| format!("property float p{i}"));
            format!("{header}{more}end_header\n0 0 0 {}", "1 ".repeat(n))
        },
        |text| ply::parse(text.as_bytes(), &limits).is_ok(),
    );
    let facet = |i: usize| {
        format!("facet\nouter loop\nvertex {i} 0 0\nvertex {i} 1 0\nvertex {i} 0 1\nendfacet")
    };
    grows_with_its_size(
        "stl",
        |n| lines(n, |i| format!("solid part {i}\n{}\nendsolid", facet(i))),
        |text| stl::parse(text.as_bytes(), &limits).is_ok(),
    );
    grows_with_its_size(
        "tetgen: a region each",
        |n| lines(n, |i| format!("{i} 0 1 2 3 {i}")),
        |elements| {
            let nodes = "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
            let elements = format!("{} 4 1\n{elements}", elements.lines().count());
            tetgen::parse(nodes.as_bytes(), Some(elements.as_bytes()), &limits).is_ok()
        },
    );
}

#[test]
fn msh_files() {
    let reads = |text: &str| msh::parse(text.as_bytes(), &Limits::default()).is_ok();
    let format = |version: &str| format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n");
    let names = |n: usize| lines(n, |i| format!("2 {} \"name {i}\"", i + 1));
    let nodes = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
    grows_with_its_size(
        "msh 2.2: a group each",
        |n| {
            format!(
                "{}$PhysicalNames\n{n}\n{}$EndPhysicalNames\n{nodes}$Elements\n{n}\n{}$EndElements\n",
                format("2.2"),
                names(n),
                lines(n, |i| format!("{i} 2 2 {} 1 1 2 3", i + 1)),
            )
        },
        reads,
    );
    grows_with_its_size(
        "msh 2.2: sections",
        |n| {
            format!(
                "{}{nodes}{}",
                format("2.2"),
                "$Elements\n0\n$EndElements\n$A\n$EndA\n".repeat(n)
            )
        },
        reads,
    );
    grows_with_its_size(
        "msh 4.1: a block each",
        |n| {
            format!(
                "{}$Nodes\n{n} {n} 0 {n}\n{}$EndNodes\n$Elements\n{n} {n} 0 {n}\n{}$EndElements\n",
                format("4.1"),
                lines(n, |i| format!("0 {i} 0 1\n{i}\n{i} 0 0")),
                lines(n, |i| format!("0 {i} 15 1\n{i} {i}")),
            )
        },
        reads,
    );
}

#[test]
fn gltf_files() {
    let reads = |text: &str| {
        let none = &mut |_: &str, _| Ok(Vec::new());
        gltf::parse(text.as_bytes(), &Limits::default(), none).is_ok()
    };
    let listed =
        |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(",");
    let file = |nodes: String, primitives: String, views: String| {
        format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{nodes}],\
             \"meshes\":[{{\"primitives\":[{primitives}]}}],\
             \"accessors\":[{{\"bufferView\":0,\"componentType\":5121,\"count\":3,\
             \"type\":\"VEC3\"}}],\"bufferViews\":[{views}],\
             \"buffers\":[{{\"byteLength\":9,\"uri\":\"data:;base64,AAAAAQAAAAEA\"}}]}}"
        )
    };
    let view = || "{\"buffer\":0,\"byteLength\":9}".to_owned();
    let primitive = || "{\"attributes\":{\"POSITION\":0}}".to_owned();
    let node = |i: usize| format!("{{\"mesh\":0,\"name\":\"node {i}\"}}");
    grows_with_its_size("gltf: nodes", |n| file(listed(n, &node), primitive(), view()), reads);
    grows_with_its_size(
        "gltf: a chain of nodes",
        |n| {
            let chain = listed(n, &|i| format!("{{\"children\":[{}]}}", i + 1));
            file(format!("{chain},{{\"mesh\":0}}"), primitive(), view())
        },
        reads,
    );
    grows_with_its_size(
        "gltf: primitives and views",
        |n| file(node(0), listed(n, &|_| primitive()), listed(n, &|_| view())),
        reads,
    );
}

#[test]
fn scenes() {
    let compiles = |text: &str| Scene::parse(text, "a").is_ok_and(|scene| scene.compile().is_ok());
    let refused = |text: &str| !Scene::parse(text, "a").is_ok_and(|scene| scene.compile().is_ok());
    let body = |more: &str| {
        format!(
            "format = 1\n[[deformables]]\nmasses = 1\npositions = [[0, 0, 0], [1, 0, 0]]\n{more}"
        )
    };
    let list = |name: &str, n: usize, item: &str| format!("{name} = [{}]\n", item.repeat(n));

    grows_with_its_size(
        "deformables",
        |n| {
            lines(n, |i| {
                format!("[[deformables]]\nname = \"b{i}\"\nmass = 1\npositions = [[0, 0, 0]]")
            })
            .replacen("[[deformables]]", "format = 1\n[[deformables]]", 1)
        },
        compiles,
    );
    grows_with_its_size(
        "positions",
        |n| {
            format!(
                "format = 1\n[[deformables]]\nmasses = 1\n{}",
                list("positions", n, "[0, 0, 0],")
            )
        },
        compiles,
    );
    grows_with_its_size(
        "springs",
        |n| body(&list("springs", n, "{ between = [0, 1], stiffness = 1 },")),
        compiles,
    );
    grows_with_its_size(
        "groups",
        |n| body(&lines(n, |i| format!("groups.g{i}.vertices = 0"))),
        compiles,
    );
    grows_with_its_size(
        "keyframes",
        |n| {
            let times = (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
            let points = vec!["[0, 0, 0]"; n].join(",");
            body(&format!(
                "pins = [{{ at = [0, 1], keyframes = {{ times = [{times}], points = [{points}] }} }}]"
            ))
        },
        compiles,
    );

    grows_with_its_size("no TOML", |n| "= 1\n".repeat(n), refused);
    grows_with_its_size("no TOML in one line", |n| "=".repeat(n), refused);
    grows_with_its_size("brackets", |n| format!("a = {}", "[".repeat(n)), refused);
    grows_with_its_size("open strings", |n| "a = \"x\n".repeat(n), refused);
    grows_with_its_size("keys twice", |n| "a.b = 1\n".repeat(n), refused);
    grows_with_its_size("sections twice", |n| "[a.b]\n".repeat(n), refused);
    grows_with_its_size("sections", |n| "[[a]]\n[a.b]\n".repeat(n), refused);
    grows_with_its_size("strange fields", |n| lines(n, |i| format!("field-{i} = 1")), refused);
    grows_with_its_size("a long field", |n| format!("{} = 1", "x".repeat(n)), refused);
    grows_with_its_size("a long line", |n| format!("a = [{}]", "0, ".repeat(n)), refused);
    grows_with_its_size(
        "no bodies",
        |n| format!("format = 1\n{}", list("deformables", n, "1,")),
        refused,
    );
    grows_with_its_size(
        "empty bodies",
        |n| format!("format = 1\n{}", list("deformables", n, "{},")),
        refused,
    );
    grows_with_its_size(
        "bad springs",
        |n| body(&list("springs", n, "{ between = [0, 9], stiffness = 1 },")),
        refused,
    );
    grows_with_its_size(
        "pins of groups that are not there",
        |n| {
            let groups = lines(n, |i| format!("groups.g{i}.vertices = 0"));
            body(&format!("{groups}{}", list("pins", n, "{ group = \"none\" },")))
        },
        refused,
    );
}
