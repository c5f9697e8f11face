//! What pictures must show: the right shapes, shadows where geometry puts them, and the same bits
//! every time.

use hooke_render::{
    Ball, Camera, Image, Mesh, Picture, Point3, Quality, Settings, Theme, Tube, render,
};

const BLACK: [f32; 3] = [0.0; 3];

/// A square of `n` by `n` vertices; `place` maps coordinates in `-1..=1` to the world.
fn sheet(n: usize, place: impl Fn(f32, f32) -> Point3) -> Mesh {
    let at = |i: usize| 2.0 * i as f32 / (n - 1) as f32 - 1.0;
    let positions = (0..n * n).map(|k| place(at(k % n), at(k / n))).collect();
    let mut triangles = Vec::new();
    for k in (0..n * (n - 1)).filter(|k| k % n != n - 1) {
        let [a, b, c, d] = [k, k + 1, k + n + 1, k + n].map(|i| i as u32);
        triangles.extend([[a, c, b], [a, d, c]]);
    }
    Mesh::new(positions, triangles)
}

fn everything() -> Picture {
    let place = |u: f32, v: f32| [u, 0.8 + 0.2 * (4.0 * u).sin() * v, v];
    Picture {
        meshes: vec![sheet(20, place)],
        tubes: vec![Tube {
            a: [-1.0, 0.1, 1.0],
            b: [1.0, 0.6, 1.2],
            radius: 0.04,
            color: [0.3, 0.5, 0.7],
        }],
        balls: vec![Ball { center: [0.0, 0.3, 0.2], radius: 0.3, color: [0.9, 0.6, 0.2] }],
        ground: Some(0.0),
    }
}

fn framed(picture: &Picture, settings: &Settings) -> Camera {
    Camera::framing(&picture.bounds(), picture.ground, settings.aspect(), 30.0)
}

fn draw(picture: &Picture, camera: &Camera, settings: &Settings) -> Image {
    render(picture, camera, settings).expect("a picture")
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let picture = everything();
    for quality in [Quality::Draft, Quality::High] {
        let settings = Settings { width: 121, height: 83, quality, ..Settings::default() };
        let camera = framed(&picture, &settings);
        let images = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| draw(&picture, &camera, &settings))
        });
        assert!(images[0] == images[1] && images[0] == images[2]);
        let plain = draw(&Picture::default(), &camera, &settings);
        assert!(images[0] != plain, "the picture shows something");
    }
}

/// Pixels that differ from the plain white of the empty picture.
fn covered(picture: &Picture, camera: &Camera, settings: &Settings) -> f64 {
    let image = draw(picture, camera, settings);
    let inked = image.pixels.chunks_exact(4).filter(|p| **p != [255; 4]);
    inked.count() as f64
}

#[test]
fn a_ball_covers_its_analytic_projection() {
    let settings = Settings {
        width: 600,
        height: 400,
        samples: 1,
        theme: Theme::Paper,
        ..Settings::default()
    };
    let (fov_y, radius) = (50.0f32, 0.5f32);
    let focal = 200.0 / (0.5 * fov_y).to_radians().tan();
    for (x, y, depth) in [(0.0, 0.0, 3.0), (1.2, -0.6, 3.0), (-0.7, 0.3, 2.4)] {
        let picture = Picture {
            balls: vec![Ball { center: [x, y, -depth], radius, color: BLACK }],
            ..Picture::default()
        };
        let camera = Camera { eye: [0.0; 3], target: [0.0, 0.0, -1.0], fov_y };
        // The ball appears as an ellipse of area π r² √(d² − r²) / (z² − r²)^{3/2} at focal length 1.
        let (r2, z2) = (radius * radius, depth * depth);
        let d2 = x * x + y * y + z2;
        let area = std::f32::consts::PI * r2 * (d2 - r2).sqrt() / (z2 - r2).powf(1.5);
        let expected = f64::from(area * focal * focal);
        let found = covered(&picture, &camera, &settings);
        assert!((found / expected - 1.0).abs() < 4e-3, "{found} pixels, not {expected}");
    }
}

#[test]
fn a_tube_covers_its_analytic_projection() {
    let settings = Settings {
        width: 400,
        height: 400,
        samples: 1,
        theme: Theme::Paper,
        ..Settings::default()
    };
    let (radius, half) = (0.2f32, 0.5f32);
    let picture = Picture {
        tubes: vec![Tube { a: [-0.3, -0.4, 0.0], b: [0.3, 0.4, 0.0], radius, color: BLACK }],
        ..Picture::default()
    };
    // From afar the projection is nearly parallel: a rectangle with two half discs.
    let camera = Camera { eye: [0.0, 0.0, 200.0], target: [0.0; 3], fov_y: 0.6 };
    let pixel = 2.0 * 200.0 * 0.3f32.to_radians().tan() / 400.0;
    let area = 4.0 * radius * half + std::f32::consts::PI * radius * radius;
    let expected = f64::from(area / (pixel * pixel));
    let found = covered(&picture, &camera, &settings);
    assert!((found / expected - 1.0).abs() < 6e-3, "{found} pixels, not {expected}");
}

#[test]
fn what_is_thinner_than_a_pixel_does_not_break_up() {
    let settings = Settings { width: 200, height: 100, theme: Theme::Paper, ..Settings::default() };
    let picture = Picture {
        tubes: vec![Tube {
            a: [-1.0, 0.03, 0.0],
            b: [1.0, -0.05, 0.0],
            radius: 1e-5,
            color: BLACK,
        }],
        ..Picture::default()
    };
    let camera = Camera { eye: [0.0, 0.0, 4.0], target: [0.0; 3], fov_y: 30.0 };
    let image = draw(&picture, &camera, &settings);
    for x in 60..140 {
        let ink: u32 = (0..100).map(|y| 255 - u32::from(brightness(&image, [x, y]))).sum();
        assert!(ink > 100, "column {x} holds {ink}");
    }
}

fn brightness(image: &Image, [x, y]: [u32; 2]) -> u8 {
    image.pixel(x, y).expect("inside the image")[1]
}

/// The pixel that shows a place, by the definition of the pinhole camera.
fn pixel_of(p: Point3, camera: &Camera, settings: &Settings) -> [u32; 2] {
    let minus = |a: Point3, b: Point3| [0, 1, 2].map(|i: usize| a[i] - b[i]);
    let dot = |a: Point3, b: Point3| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: Point3, b: Point3| {
        [0, 1, 2].map(|i: usize| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
    };
    let unit = |a: Point3| a.map(|x| x / dot(a, a).sqrt());
    let forward = unit(minus(camera.target, camera.eye));
    let right = unit(cross(forward, [0.0, 1.0, 0.0]));
    let up = cross(right, forward);
    let q = minus(p, camera.eye);
    let focal = 0.5 * settings.height as f32 / (0.5 * camera.fov_y).to_radians().tan();
    let scale = focal / dot(q, forward);
    let x = 0.5 * settings.width as f32 + scale * dot(q, right);
    let y = 0.5 * settings.height as f32 - scale * dot(q, up);
    [x as u32, y as u32]
}

#[test]
fn a_balls_shadow_falls_where_the_sun_throws_it() {
    let (height, radius) = (0.9f32, 0.22f32);
    let with_ball = Picture {
        balls: vec![Ball { center: [0.0, height, 0.0], radius, color: [0.5; 3] }],
        ground: Some(0.0),
        ..Picture::default()
    };
    let floor_only = Picture { ground: Some(0.0), ..Picture::default() };
    let camera = Camera { eye: [0.0, 3.0, 5.0], target: [0.0, 0.3, 0.0], fov_y: 45.0 };
    for quality in [Quality::Draft, Quality::High] {
        for sun in [[-0.6f32, 0.8, 0.0], [0.5, 0.7, 0.5], [0.2, 0.6, -0.7]] {
            let settings =
                Settings { width: 320, height: 240, quality, sun, ..Settings::default() };
            let image = draw(&with_ball, &camera, &settings);
            let plain = draw(&floor_only, &camera, &settings);
            let length = (sun[0] * sun[0] + sun[1] * sun[1] + sun[2] * sun[2]).sqrt();
            let flat = sun[0].hypot(sun[2]);
            let (along, across) = ([sun[0] / flat, sun[2] / flat], [-sun[2] / flat, sun[0] / flat]);
            let center = [-sun[0] * height / sun[1], -sun[2] * height / sun[1]];
            // The shadow is an ellipse, longer along the sun's direction.
            let half = [radius * length / sun[1], radius];
            let part = |a: f32, b: f32| {
                let [x, z] = [0, 1]
                    .map(|i: usize| center[i] + a * half[0] * along[i] + b * half[1] * across[i]);
                let at = pixel_of([x, 0.0, z], &camera, &settings);
                f32::from(brightness(&image, at)) / f32::from(brightness(&plain, at))
            };
            assert!(part(0.0, 0.0) < 0.75, "{quality:?} {sun:?}: the middle is dark");
            for (a, b) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let (inner, outer) = (part(0.6 * a, 0.6 * b), part(1.5 * a, 1.5 * b));
                assert!(inner < 0.75, "{quality:?} {sun:?} {a} {b}: {inner} inside");
                assert!(outer > 0.90, "{quality:?} {sun:?} {a} {b}: {outer} outside");
            }
        }
    }
}

#[test]
fn a_shadow_begins_at_the_foot_of_a_standing_cloth() {
    let standing = sheet(12, |u, v| [u, 0.5 + 0.5 * v, 0.0]);
    let picture = Picture { meshes: vec![standing], ground: Some(0.0), ..Picture::default() };
    let floor_only = Picture { ground: Some(0.0), ..Picture::default() };
    let camera = Camera { eye: [0.0, 2.5, 4.0], target: [0.0, 0.4, 0.0], fov_y: 30.0 };
    for quality in [Quality::Draft, Quality::High] {
        let sun = [0.0, 0.8, -0.6];
        let settings = Settings { width: 320, height: 240, quality, sun, ..Settings::default() };
        let image = draw(&picture, &camera, &settings);
        let plain = draw(&floor_only, &camera, &settings);
        // The shadow reaches as far as the cloth is high times 0.6 / 0.8.
        for (z, dark) in [(0.03, true), (0.06, true), (0.3, true), (0.65, true), (0.85, false)] {
            let at = pixel_of([0.0, 0.0, z], &camera, &settings);
            let part = f32::from(brightness(&image, at)) / f32::from(brightness(&plain, at));
            assert_eq!(part < 0.8, dark, "{quality:?}: {part} at {z} m");
        }
    }
}

#[test]
fn a_flat_cloth_in_slanting_sun_has_no_speckles() {
    let tilted = |u: f32, v: f32| [u, 0.8 + 0.5 * v, -v];
    let picture = Picture { meshes: vec![sheet(40, tilted)], ..Picture::default() };
    let camera = Camera { eye: [0.0, 18.0, 30.0], target: [0.0, 0.8, 0.0], fov_y: 3.4 };
    for (quality, side) in [(Quality::Draft, 160), (Quality::High, 64)] {
        for sun in [[0.93, 0.3, 0.2], [0.3, 0.15, -0.25], [-0.46, 0.82, 0.36]] {
            let settings =
                Settings { width: side, height: side, quality, sun, ..Settings::default() };
            let image = draw(&picture, &camera, &settings);
            let middle = (side / 4..side * 3 / 4)
                .flat_map(|y| (side / 4..side * 3 / 4).map(move |x| [x, y]));
            let shades: Vec<u8> = middle.map(|at| brightness(&image, at)).collect();
            let range = shades.iter().max().zip(shades.iter().min());
            let spread = range.map_or(255, |(max, min)| max - min);
            assert!(spread <= 4, "{quality:?} {sun:?}: the shades spread by {spread}");
        }
    }
}

#[test]
fn a_cloth_shadows_the_cloth_below_it() {
    let flat = |height: f32, half: f32| sheet(12, move |u, v| [half * u, height, half * v]);
    let below = Picture { meshes: vec![flat(0.0, 1.0)], ..Picture::default() };
    let both = Picture { meshes: vec![flat(0.0, 1.0), flat(0.6, 0.3)], ..Picture::default() };
    let camera = Camera { eye: [0.0, 2.0, 4.0], target: [0.0; 3], fov_y: 40.0 };
    for quality in [Quality::Draft, Quality::High] {
        let sun = [-1.0, 1.0, 0.0];
        let settings = Settings { width: 240, height: 180, quality, sun, ..Settings::default() };
        let [lit, shaded] = [&below, &both].map(|picture| draw(picture, &camera, &settings));
        let part = |x: f32, z: f32| {
            let at = pixel_of([x, 0.0, z], &camera, &settings);
            f32::from(brightness(&shaded, at)) / f32::from(brightness(&lit, at))
        };
        assert!(part(0.6, 0.0) < 0.8, "{quality:?}: {} in the shadow", part(0.6, 0.0));
        assert!(part(-0.5, 0.5) > 0.93, "{quality:?}: {} in the sun", part(-0.5, 0.5));
    }
}

#[test]
fn each_side_of_a_cloth_has_its_color_and_vertex_colors_replace_both() {
    let mut mesh = sheet(5, |u, v| [u, v, 0.0]);
    (mesh.front, mesh.back) = ([0.8, 0.1, 0.1], [0.1, 0.1, 0.8]);
    let settings = Settings { width: 40, height: 40, ..Settings::default() };
    let seen = |mesh: &Mesh, z: f32| {
        let picture = Picture { meshes: vec![mesh.clone()], ..Picture::default() };
        let camera = Camera { eye: [0.0, 0.0, z], target: [0.0; 3], fov_y: 20.0 };
        draw(&picture, &camera, &settings).pixel(20, 20).expect("the middle")
    };
    // Corners are clockwise as seen from +Z: that is the back.
    let [[r, _, b, _], [r2, _, b2, _]] = [seen(&mesh, 4.0), seen(&mesh, -4.0)];
    assert!(b > r + 60 && r2 > b2 + 60, "{r} {b} {r2} {b2}");
    mesh.colors = Some(vec![[0.1, 0.8, 0.1]; 25]);
    for z in [4.0, -4.0] {
        let [r, g, b, _] = seen(&mesh, z);
        assert!(g > r + 60 && g > b + 60);
    }
}

#[test]
fn nearer_things_hide_farther_ones_whatever_their_kind_and_order() {
    let settings = Settings { width: 40, height: 40, ..Settings::default() };
    let camera = Camera { eye: [0.0, 0.0, 6.0], target: [0.0; 3], fov_y: 20.0 };
    let colors = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]];
    for order in 0..6 {
        let depth = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][order];
        let z = depth.map(|k: usize| k as f32);
        let mut mesh = sheet(3, |u, v| [u, v, z[0]]);
        mesh.colors = Some(vec![colors[0]; 9]);
        let picture = Picture {
            meshes: vec![mesh],
            tubes: vec![Tube {
                a: [-1.0, 0.0, z[1]],
                b: [1.0, 0.0, z[1]],
                radius: 0.3,
                color: colors[1],
            }],
            balls: vec![Ball { center: [0.0, 0.0, z[2]], radius: 0.3, color: colors[2] }],
            ground: None,
        };
        let rgba = draw(&picture, &camera, &settings).pixel(20, 20).expect("the middle");
        let nearest = depth.iter().position(|&k| k == 2).expect("one is nearest");
        let strongest = (0..3).max_by_key(|&k| rgba[k]).expect("three channels");
        assert_eq!(nearest, strongest, "{depth:?}: {rgba:?}");
    }
}
