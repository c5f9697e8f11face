//! What it takes to check a scene grows with its length, not with its square.

use hooke_scene::Scene;
use hooke_scene::field::Kind;
use hooke_scene::format::describe;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A scene with so many of what a list holds; every one named where it may be.
fn scene(list: &str, count: usize) -> String {
    let mut text = String::from("format = 1\n");
    let cloth = "[[deformables]]\nname = \"cloth\"\ngrid = { columns = 8, rows = 8 }\nmass = 1\n\
                 structural = { stiffness = 100 }\n";
    let ball = |k: usize| {
        format!(
            "[[rigid_bodies]]\nname = \"b{k}\"\nsphere = {{ radius = 0.1 }}\nposition = [{k}, 0, 0]\n"
        )
    };
    match list {
        "deformables" => (0..count).for_each(|k| {
            let _ = write!(
                text,
                "[[deformables]]\nname = \"b{k}\"\npositions = [[{k}, 0, 0]]\nmass = 1\n"
            );
        }),
        "chains" => {
            text.push_str("[[chains]]\njoints = [\n{ name = \"j0\" },\n");
            for k in 1..count.min(10_000) {
                let above = k / 2;
                let _ = writeln!(
                    text,
                    "{{ name = \"j{k}\", parent = \"j{above}\", offset = [0.1, 0, 0] }},"
                );
            }
            text.push_str("]\n");
        }
        "rigid_bodies" => (0..count).for_each(|k| text.push_str(&ball(k))),
        "joints" => {
            (0..count).for_each(|k| text.push_str(&ball(k)));
            for k in 1..count {
                let before = k - 1;
                let _ =
                    write!(text, "[[joints]]\nbetween = [\"b{before}\", \"b{k}\"]\nball = {{}}\n");
            }
        }
        "attractors" => {
            text.push_str("[[deformables]]\nname = \"b\"\npositions = [[0, 0, 0]]\nmass = 1\n");
            (0..count).for_each(|k| {
                let _ = write!(text, "[[attractors]]\nposition = [{k}, 0, 0]\n");
            });
        }
        "obstacles" => {
            text.push_str(cloth);
            text.push_str(&ball(0));
            (0..count).for_each(|k| {
                let _ = write!(
                    text,
                    "[[obstacles]]\nsphere = {{ center = [{k}, -9, 0], radius = 0.1 }}\n"
                );
            });
        }
        other => panic!("a new list {other}: say how a scene with many of it looks"),
    }
    text
}

/// The time that this thread has had of a processor, where the system tells it, so that others do not disturb;
/// otherwise the time of day.
fn clock(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|text| text.split(' ').next()?.parse().ok());
    spent.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The shortest of some times that a check takes.
fn taken(text: &str) -> Duration {
    let start = Instant::now();
    let once = || {
        let before = clock(start);
        let scene = Scene::parse(text, "scene.toml").unwrap_or_else(|told| panic!("{told}"));
        let compiled = scene.compile().unwrap_or_else(|told| panic!("{told}"));
        assert!(compiled.warnings.is_empty(), "{}", compiled.warnings);
        clock(start) - before
    };
    (0..2).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn no_check_is_quadratic() {
    let lists: Vec<_> = describe()
        .fields
        .into_iter()
        .filter(|field| matches!(&field.kind, Kind::List(item) if matches!(**item, Kind::Table(_))))
        .map(|field| field.name)
        .collect();
    assert!(lists.len() >= 6, "{lists:?}");
    for list in lists {
        let [few, many] = [2500, 10_000].map(|count| taken(&scene(list, count)));
        // Four times as much in proportion, sixteen times as much in the square.
        assert!(many < 9 * few + Duration::from_millis(20), "{list}: {few:?}, then {many:?}");
    }
}
