//! PNG, GIF and contact sheets: what is written can be read back.

use hooke_render::{GifWriter, Image, RenderError, Theme, contact_sheet};
use std::io::Cursor;

fn image(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Image {
    let pixels = (0..width * height).flat_map(|i| {
        let [r, g, b] = pixel(i % width, i / width);
        [r, g, b, 255]
    });
    Image { width, height, pixels: pixels.collect() }
}

/// A soft background with a disk that has moved `step` pixels to the right.
fn disk(step: u32) -> Image {
    image(96, 64, |x, y| {
        let (dx, dy) = (x as f32 - 20.0 - step as f32, y as f32 - 30.0);
        if dx.hypot(dy) < 12.0 {
            [200, (60.0 + 4.0 * dx) as u8, 50]
        } else {
            [(225 + y / 4) as u8, (228 + y / 4) as u8, 235]
        }
    })
}

#[test]
fn a_png_reads_back_as_written() {
    let original = image(37, 21, |x, y| [(x * 6) as u8, (y * 11) as u8, (x ^ y) as u8]);
    let mut file = Vec::new();
    original.write_png(&mut file).expect("written");
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("an image");
    assert_eq!((info.width, info.height), (37, 21));
    assert_eq!(info.color_type, png::ColorType::Rgba);
    assert_eq!(pixels, original.pixels);
}

struct Decoded {
    size: [u16; 2],
    delays: Vec<u16>,
    /// The screen after each frame, red, green and blue per pixel.
    screens: Vec<Vec<[u8; 3]>>,
    /// Pixels that each frame holds.
    areas: Vec<usize>,
}

/// Plays a GIF as its standard says: each frame is painted over the last, transparent pixels aside.
fn decode(file: &[u8]) -> Decoded {
    let mut decoder = gif::DecodeOptions::new().read_info(file).expect("a GIF");
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let size = [decoder.width(), decoder.height()];
    let palette = decoder.global_palette().expect("one palette for all").to_vec();
    let mut screen = vec![[0; 3]; usize::from(size[0]) * usize::from(size[1])];
    let mut decoded = Decoded { size, delays: vec![], screens: vec![], areas: vec![] };
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        assert!(frame.palette.is_none());
        for (i, &number) in frame.buffer.iter().enumerate() {
            let width = usize::from(frame.width);
            let (x, y) = (usize::from(frame.left) + i % width, usize::from(frame.top) + i / width);
            if Some(number) != frame.transparent {
                let first = 3 * usize::from(number);
                screen[y * usize::from(size[0]) + x] = [0, 1, 2].map(|k| palette[first + k]);
            }
        }
        decoded.delays.push(frame.delay);
        decoded.screens.push(screen.clone());
        decoded.areas.push(frame.buffer.len());
    }
    decoded
}

#[test]
fn a_gif_plays_back_every_frame_at_the_right_time_and_color() {
    let mut frames: Vec<Image> = (0..20).map(|i| disk(2 * i)).collect();
    frames.push(frames[19].clone());
    let typical = frames.iter().step_by(7);
    let mut gif = GifWriter::new(Vec::new(), 30.0, typical).expect("a GIF");
    for frame in &frames {
        gif.add(frame).expect("a frame");
    }
    let decoded = decode(&gif.finish().expect("a file"));
    assert_eq!(decoded.size, [96, 64]);
    assert_eq!(decoded.screens.len(), 21);
    assert!(decoded.delays.iter().all(|delay| (3..=4).contains(delay)));
    assert_eq!(decoded.delays.iter().map(|&d| u32::from(d)).sum::<u32>(), 70);
    for (frame, screen) in frames.iter().zip(&decoded.screens) {
        let error: u32 = frame
            .pixels
            .chunks_exact(4)
            .zip(screen)
            .flat_map(|(a, b)| (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))))
            .sum();
        let mean = f64::from(error) / (3.0 * 96.0 * 64.0);
        assert!(mean < 2.0, "the mean error is {mean}");
    }
    assert_eq!(decoded.areas[0], 96 * 64);
    assert!(decoded.areas[1..20].iter().all(|&area| area < 30 * 30), "only what moved");
    assert_eq!(decoded.areas[20], 1, "nothing moved");
}

#[test]
fn pixels_that_do_not_change_do_not_flicker() {
    let frames: Vec<Image> = (0..6).map(|i| disk(3 * i)).collect();
    let mut gif = GifWriter::new(Vec::new(), 25.0, &frames).expect("a GIF");
    for frame in &frames {
        gif.add(frame).expect("a frame");
    }
    let decoded = decode(&gif.finish().expect("a file"));
    let rgb = |image: &Image, i: usize| image.pixels[4 * i..4 * i + 3].to_vec();
    let mut still = 0;
    for k in 1..6 {
        for i in (0..96 * 64).filter(|&i| rgb(&frames[k], i) == rgb(&frames[k - 1], i)) {
            assert_eq!(decoded.screens[k][i], decoded.screens[k - 1][i]);
            still += 1;
        }
    }
    assert!(still > 4 * 96 * 64);
}

#[test]
fn a_gif_refuses_what_it_cannot_hold() {
    let frame = disk(0);
    for fps in [0.0, -1.0, 60.0, f64::NAN, f64::INFINITY] {
        let gif = GifWriter::new(Vec::new(), fps, [&frame]);
        assert!(matches!(gif.err(), Some(RenderError::FrameRate(_))));
    }
    assert!(matches!(GifWriter::new(Vec::new(), 30.0, []).err(), Some(RenderError::NoImages)));
    let mut gif = GifWriter::new(Vec::new(), 30.0, [&frame]).expect("a GIF");
    let other = image(95, 64, |_, _| [0; 3]);
    assert!(matches!(gif.add(&other), Err(RenderError::FrameSize { .. })));
    let torn = Image { pixels: vec![0; 7], ..frame };
    assert!(matches!(gif.add(&torn), Err(RenderError::PixelCount { .. })));
    assert!(matches!(torn.write_png(Vec::new()), Err(RenderError::PixelCount { .. })));
    let none = Image { width: 0, height: 3, pixels: vec![] };
    assert!(matches!(none.write_png(Vec::new()), Err(RenderError::ImageSize { .. })));
}

struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported() {
    let frame = disk(0);
    assert!(matches!(frame.write_png(Full), Err(RenderError::Write(_))));
    assert!(matches!(GifWriter::new(Full, 30.0, [&frame]).err(), Some(RenderError::Write(_))));
}

#[test]
fn a_contact_sheet_holds_every_picture_and_caption() {
    let colors = [[200, 20, 20], [20, 200, 20], [20, 20, 200]];
    let images = colors.map(|color| image(80, 50, |_, _| color));
    let captions = ["one", "", "a caption that is much too long for its cell"];
    let cells: Vec<(&Image, &str)> = images.iter().zip(captions).collect();
    let sheet = contact_sheet(&cells, 2, Theme::Light).expect("a sheet");
    let count = |wanted: &dyn Fn(&[u8]) -> bool,
                 columns: std::ops::Range<u32>,
                 rows: std::ops::Range<u32>| {
        let at = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
        at.filter(|&(x, y)| sheet.pixel(x, y).is_some_and(|p| wanted(&p[..3]))).count()
    };
    for color in colors {
        assert_eq!(count(&|p| p == color, 0..sheet.width, 0..sheet.height), 80 * 50);
    }
    let dark = |p: &[u8]| p.iter().all(|&c| c < 160);
    let middle = sheet.width / 2;
    let below_first_row = 50..sheet.height / 2 + 4;
    assert!(count(&dark, 0..middle, below_first_row.clone()) > 20, "the first caption");
    assert_eq!(count(&dark, middle..sheet.width, below_first_row), 0, "the second is empty");
    assert!(count(&dark, 0..middle, sheet.height - 20..sheet.height) > 100, "the third");
    assert_eq!(count(&dark, middle..sheet.width, sheet.height - 20..sheet.height), 0);

    assert!(matches!(contact_sheet(&[], 2, Theme::Dark), Err(RenderError::NoImages)));
    assert!(matches!(contact_sheet(&cells, 0, Theme::Dark), Err(RenderError::NoColumns)));
    let tall: Vec<(&Image, &str)> = vec![cells[0]; 400];
    assert!(matches!(contact_sheet(&tall, 1, Theme::Dark), Err(RenderError::ImageSize { .. })));
    assert!(contact_sheet(&cells, usize::MAX, Theme::Dark).is_ok());
}
