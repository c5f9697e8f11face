//! Nothing that a caller can pass makes the renderer panic: it draws what can be drawn, or says in
//! one sentence what is wrong.

use hooke_render::{
    Ball, Camera, Mesh, Picture, Quality, RenderError, Settings, Tube, render, strain_color,
};

const ODD: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    1e9,
    -1e9,
    1e20,
    1e-40,
    0.0,
    -0.0,
    -1.0,
];

fn small(quality: Quality) -> Settings {
    Settings { width: 24, height: 16, samples: 1, quality, ..Settings::default() }
}

fn camera() -> Camera {
    Camera { eye: [0.3, 1.5, 4.0], target: [0.0, 0.5, 0.0], fov_y: 40.0 }
}

fn good() -> Picture {
    let mut mesh = Mesh::new(
        vec![[-1.0, 0.3, 0.0], [1.0, 0.4, 0.2], [0.0, 1.5, -0.2], [0.2, 0.2, 1.0]],
        vec![[0, 1, 2], [0, 3, 1]],
    );
    mesh.colors = Some(vec![[0.5, 0.6, 0.7]; 4]);
    Picture {
        meshes: vec![mesh],
        tubes: vec![Tube { a: [0.0, 0.2, 0.5], b: [0.5, 0.2, 0.0], radius: 0.1, color: [0.5; 3] }],
        balls: vec![Ball { center: [0.5, 0.5, 0.5], radius: 0.3, color: [0.4; 3] }],
        ground: Some(0.0),
    }
}

#[test]
fn odd_numbers_anywhere_do_not_panic() {
    for quality in [Quality::Draft, Quality::High] {
        for (k, x) in ODD.into_iter().enumerate() {
            let axis = k % 3;
            let changes: [&dyn Fn(&mut Picture); 10] = [
                &|p| p.meshes[0].positions[1][axis] = x,
                &|p| p.meshes[0].positions.fill([x; 3]),
                &|p| p.meshes[0].front[axis] = x,
                &|p| p.meshes[0].colors = Some(vec![[x; 3]; 4]),
                &|p| p.tubes[0].a[axis] = x,
                &|p| p.tubes[0].radius = x,
                &|p| p.tubes[0].color[axis] = x,
                &|p| p.balls[0].center[axis] = x,
                &|p| p.balls[0].radius = x,
                &|p| p.ground = Some(x),
            ];
            for change in changes {
                let mut picture = good();
                change(&mut picture);
                assert!(render(&picture, &camera(), &small(quality)).is_ok());
                let framing = Camera::framing(&picture.bounds(), picture.ground, 1.5, 30.0);
                let place = framing.eye.iter().chain(&framing.target);
                assert!(place.copied().all(f32::is_finite), "{x}: {framing:?}");
                if let Err(error) = render(&picture, &framing, &small(quality)) {
                    assert!(matches!(error, RenderError::Camera(_)));
                }
            }
        }
    }
}

#[test]
fn odd_cameras_and_suns_are_refused_or_drawn() {
    let (mut refused, mut drawn) = (0, 0);
    for x in ODD {
        for axis in 0..3 {
            let mut cameras = [camera(); 4];
            cameras[0].eye[axis] = x;
            cameras[1].target[axis] = x;
            cameras[2].fov_y = x;
            cameras[3].eye = [x; 3];
            for camera in cameras {
                match render(&good(), &camera, &small(Quality::Draft)) {
                    Ok(_) => drawn += 1,
                    Err(RenderError::Camera(_)) => refused += 1,
                    Err(other) => panic!("{camera:?}: {other}"),
                }
            }
            let mut sun = [0.1, 0.5, 0.1];
            sun[axis] = x;
            let settings = Settings { sun, ..small(Quality::High) };
            let result = render(&good(), &camera(), &settings);
            assert!(matches!(result, Ok(_) | Err(RenderError::Sun(_))), "{sun:?}");
        }
        assert!(strain_color(x, x).iter().all(|c| (0.0..=1.0).contains(c)), "{x}");
    }
    assert!(refused > 20 && drawn > 20, "{refused} refused, {drawn} drawn");
}

#[test]
fn what_cannot_be_drawn_is_left_out_and_the_rest_is_not_touched() {
    for quality in [Quality::Draft, Quality::High] {
        let settings = small(quality);
        let mut picture = good();
        picture.meshes[0].positions.extend([[f32::NAN; 3], [0.0, f32::INFINITY, 0.0]]);
        picture.meshes[0].colors = Some(vec![[0.5, 0.6, 0.7]; 6]);
        picture.meshes[0].triangles.extend([[0, 1, 4], [5, 1, 2], [1, 1, 2], [3, 3, 3]]);
        picture.balls.push(Ball { center: [f32::NAN, 0.0, 0.0], ..picture.balls[0] });
        picture.balls.push(Ball { radius: 0.0, ..picture.balls[0] });
        picture.tubes.push(Tube { radius: f32::NAN, ..picture.tubes[0] });
        let [clean, dirty] = [&good(), &picture].map(|p| render(p, &camera(), &settings));
        assert_eq!(clean.expect("a picture"), dirty.expect("a picture"));
        assert!(render(&Picture::default(), &camera(), &settings).is_ok());
        assert_eq!(picture.bounds(), good().bounds());
    }
}

#[test]
fn many_coinciding_primitives_are_drawn() {
    let mut picture = good();
    picture.meshes[0].triangles = vec![[0, 1, 2]; 1000];
    picture.balls = vec![picture.balls[0]; 100];
    for quality in [Quality::Draft, Quality::High] {
        assert!(render(&picture, &camera(), &small(quality)).is_ok());
    }
}

#[test]
fn a_camera_inside_the_scene_draws() {
    let picture = good();
    for eye in [[0.5, 0.5, 0.5], [0.25, 0.2, 0.25], [0.0, 0.6, 0.01], [0.0, -1.0, 0.0]] {
        let camera = Camera { eye, target: [0.1, 0.4, -3.0], fov_y: 120.0 };
        for quality in [Quality::Draft, Quality::High] {
            assert!(render(&picture, &camera, &small(quality)).is_ok());
        }
    }
    let down = Camera { eye: [0.0, 5.0, 0.0], target: [0.0; 3], fov_y: 40.0 };
    assert!(render(&picture, &down, &small(Quality::Draft)).is_ok());
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |picture: &Picture, settings: &Settings| {
        render(picture, &camera(), settings).expect_err("refused").to_string()
    };
    let settings = small(Quality::Draft);
    let mut picture = good();
    picture.meshes[0].triangles.push([0, 1, 9]);
    assert_eq!(
        error(&picture, &settings),
        "triangle 2 of mesh 0 names vertex 9, but the mesh has 4 vertices"
    );
    let mut picture = good();
    picture.meshes[0].colors = Some(vec![[0.0; 3]; 3]);
    assert_eq!(
        error(&picture, &settings),
        "mesh 0 has 3 vertex colors for 4 vertices: give one for each or none"
    );
    for (width, height) in [(0, 16), (24, 0), (20_000, 16)] {
        let settings = Settings { width, height, ..settings };
        let found = error(&good(), &settings);
        let expected = format!("an image of {width} x {height} pixels cannot be made");
        assert!(found.starts_with(&expected), "{found}");
    }
    for samples in [0, 9] {
        let found = error(&good(), &Settings { samples, ..settings });
        assert_eq!(
            found,
            format!("{samples} samples per pixel axis are not possible: choose 1 to 8")
        );
    }
    let below = Settings { sun: [0.0, -1.0, 0.0], ..settings };
    assert!(error(&good(), &below).contains("above the horizon"));
}
