//! Renders a handful of pictures, a GIF and a contact sheet into a directory, for looking at.
//!
//! `cargo run --release --example look -- [directory] [draft|high]`

use hooke_render::{
    Ball, Camera, GifWriter, Image, Mesh, Picture, Point3, Quality, RenderError, Settings, Theme,
    Tube, contact_sheet, render, strain_color,
};
use std::{fs::File, io::BufWriter, path::Path, time::Instant};

fn main() -> Result<(), RenderError> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| "pictures".to_owned());
    let quality = match arguments.next().as_deref() {
        Some("high") => Quality::High,
        _ => Quality::Draft,
    };
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;

    let scenes = [
        ("wavy", wavy(0.0), Theme::Light),
        ("hanging", hanging(), Theme::Light),
        ("rope", rope(), Theme::Light),
        ("draped", draped(), Theme::Paper),
        ("strain", strained(), Theme::Light),
        ("springs", springs(), Theme::Dark),
    ];
    let mut images = Vec::new();
    for (name, picture, theme) in &scenes {
        let settings = Settings {
            width: 960,
            height: 540,
            samples: 3,
            quality,
            theme: *theme,
            ..Settings::default()
        };
        let camera = Camera::framing(&picture.bounds(), picture.ground, settings.aspect(), 30.0);
        let start = Instant::now();
        let image = render(picture, &camera, &settings)?;
        println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        save(&image, &directory.join(format!("{name}.png")))?;
        images.push((image, *name));
    }
    let cells: Vec<(&Image, &str)> = images.iter().map(|(image, name)| (image, *name)).collect();
    save(&contact_sheet(&cells, 2, Theme::Light)?, &directory.join("sheet.png"))?;
    if quality == Quality::Draft {
        animation(&directory.join("wavy.gif"))?;
    }
    Ok(())
}

fn save(image: &Image, path: &Path) -> Result<(), RenderError> {
    image.write_png(BufWriter::new(File::create(path)?))
}

fn animation(path: &Path) -> Result<(), RenderError> {
    const FRAMES: usize = 60;
    let settings = Settings { width: 640, height: 360, ..Settings::default() };
    let pictures: Vec<Picture> = (0..FRAMES).map(|i| wavy(i as f32 / FRAMES as f32)).collect();
    let bounds = pictures.iter().map(Picture::bounds).reduce(|a, b| a.union(&b));
    let bounds = bounds.unwrap_or(hooke_render::Bounds::EMPTY);
    let camera = Camera::framing(&bounds, Some(0.0), settings.aspect(), 30.0);
    let start = Instant::now();
    let frames = pictures.iter().map(|picture| render(picture, &camera, &settings));
    let frames = frames.collect::<Result<Vec<Image>, _>>()?;
    let drawn = start.elapsed();
    let typical = frames.iter().step_by(FRAMES / 5);
    let mut gif = GifWriter::new(BufWriter::new(File::create(path)?), 30.0, typical)?;
    for frame in &frames {
        gif.add(frame)?;
    }
    gif.finish()?;
    let written = start.elapsed() - drawn;
    let per_frame = |time: std::time::Duration| time.as_secs_f64() * 1e3 / FRAMES as f64;
    println!(
        "gif: {:.0} ms per frame drawn, {:.0} ms written",
        per_frame(drawn),
        per_frame(written)
    );
    Ok(())
}

/// A square cloth of `n` by `n` vertices; `place` maps coordinates in `-1..=1` to the world.
fn sheet(n: usize, place: impl Fn(f32, f32) -> Point3) -> Mesh {
    let at = |i: usize| 2.0 * i as f32 / (n - 1) as f32 - 1.0;
    let positions = (0..n * n).map(|k| place(at(k % n), at(k / n))).collect();
    let corner = |i: usize, j: usize| (j * n + i) as u32;
    let cells = (0..(n - 1) * (n - 1)).map(|k| (k % (n - 1), k / (n - 1)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, c, b], [a, d, c]] } else { [[a, d, b], [b, d, c]] }
    });
    Mesh::new(positions, triangles.collect())
}

fn wavy(phase: f32) -> Picture {
    let rotation = phase * std::f32::consts::TAU;
    let cloth = sheet(60, |u, v| {
        let wave = 0.10 * (4.2 * u + 1.3 * v + rotation).sin()
            + 0.05 * (6.0 * v - 2.0 * u - rotation).cos();
        [u, 0.75 + wave, v]
    });
    Picture { meshes: vec![cloth], ground: Some(0.0), ..Picture::default() }
}

fn hanging() -> Picture {
    let place = |u: f32, v: f32| {
        let down = 0.5 * (1.0 - v);
        let sag = 0.30 * (1.0 - u * u) * (1.0 - 0.4 * down);
        let folds = 0.10 * (0.25 + down) * (9.0 * u + 1.5 * down).sin() * (1.0 - 0.5 * u * u);
        [
            u * (0.94 - 0.10 * down * (1.0 - down)),
            1.95 - 1.6 * down - sag,
            folds + 0.06 * down * down,
        ]
    };
    let mut cloth = sheet(60, place);
    cloth.front = [0.20, 0.42, 0.62];
    cloth.back = [0.86, 0.74, 0.52];
    let pin = |u| Ball { center: place(u, 1.0), radius: 0.035, color: [0.95, 0.75, 0.25] };
    Picture {
        meshes: vec![cloth],
        balls: vec![pin(-1.0), pin(1.0)],
        ground: Some(0.0),
        ..Picture::default()
    }
}

fn rope() -> Picture {
    let n = 24;
    let place = |i: usize| {
        let s = i as f32 / n as f32 * 2.0 - 1.0;
        [1.1 * s, 0.45 + 0.75 * s * s + 0.05 * (9.0 * s).sin(), 0.25 * (3.0 * s).sin()]
    };
    let tubes = (0..n).map(|i| Tube {
        a: place(i),
        b: place(i + 1),
        radius: 0.016,
        color: [0.55, 0.57, 0.60],
    });
    let balls = (0..=n).map(|i| {
        let end = i == 0 || i == n;
        let color = if end { [0.92, 0.70, 0.22] } else { [0.80, 0.28, 0.22] };
        Ball { center: place(i), radius: if end { 0.05 } else { 0.032 }, color }
    });
    Picture {
        tubes: tubes.collect(),
        balls: balls.collect(),
        ground: Some(0.0),
        ..Picture::default()
    }
}

fn draped() -> Picture {
    let (radius, middle) = (0.5f32, 0.62f32);
    let cloth = sheet(90, |u, v| {
        let out = u.hypot(v);
        let angle = v.atan2(u);
        let cap = radius * 1.35;
        let shell = radius + 0.012;
        if out < cap {
            let bend = out / radius;
            let reach = shell * bend.sin();
            return [reach * angle.cos(), middle + shell * bend.cos(), reach * angle.sin()];
        }
        let below = out - cap;
        let flare = 0.22 * below + 0.16 * below * (8.0 * angle).cos() * (below * 6.0).min(1.0);
        let reach = shell * 1.35f32.sin() + flare;
        [
            reach * angle.cos(),
            (middle + shell * 1.35f32.cos() - below * 0.93).max(0.012),
            reach * angle.sin(),
        ]
    });
    let ball = Ball { center: [0.0, middle, 0.0], radius, color: [0.45, 0.50, 0.56] };
    let rest = Ball { center: [1.15, 0.18, 0.25], radius: 0.18, color: [0.30, 0.52, 0.60] };
    Picture {
        meshes: vec![cloth],
        balls: vec![ball, rest],
        ground: Some(0.0),
        ..Picture::default()
    }
}

fn strained() -> Picture {
    let place = |u: f32, v: f32| {
        [
            u * (1.0 + 0.12 * v),
            1.0 + 0.5 * v - 0.25 * (1.0 - u * u),
            0.12 * (5.0 * u + 2.0 * v).sin(),
        ]
    };
    let n = 60;
    let mut cloth = sheet(n, place);
    let at = |i: usize| 2.0 * i as f32 / (n - 1) as f32 - 1.0;
    let strain = |u: f32, v: f32| 0.1 * ((3.0 * u).sin() * (2.2 * v).cos() + 0.4 * u);
    cloth.colors =
        Some((0..n * n).map(|k| strain_color(strain(at(k % n), at(k / n)), 0.1)).collect());
    Picture { meshes: vec![cloth], ground: Some(0.0), ..Picture::default() }
}

fn springs() -> Picture {
    let n = 12;
    let place = |i: usize, j: usize| {
        let (u, v) = (2.0 * i as f32 / (n - 1) as f32 - 1.0, 2.0 * j as f32 / (n - 1) as f32 - 1.0);
        [u, 0.55 + 0.22 * (2.5 * u + 0.6).sin() * (2.0 * v).cos() + 0.1 * v * v, v]
    };
    let mut picture = Picture { ground: Some(0.0), ..Picture::default() };
    for k in 0..n * n {
        let (i, j) = (k % n, k / n);
        let mut link = |i2: usize, j2: usize| {
            if i2 < n && j2 < n {
                let (a, b) = (place(i, j), place(i2, j2));
                let length = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
                let strain = length / (2.1 / (n - 1) as f32) - 1.0;
                let color = strain_color(strain, 0.15);
                picture.tubes.push(Tube { a, b, radius: 0.009, color });
            }
        };
        link(i + 1, j);
        link(i, j + 1);
        picture.balls.push(Ball { center: place(i, j), radius: 0.022, color: [0.86, 0.87, 0.90] });
    }
    picture
}
