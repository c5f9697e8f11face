//! Every law in the list: each overridden view against its derivation from the energy.

use crate::common::{Numbers, p};
use hooke::each_law;
use hooke::laws::*;
use hooke::math::{Mat3, Scalar, Vec3};
use std::marker::PhantomData;

/// A law with nothing but its energy: all views derived.
struct Derived<L>(PhantomData<L>);

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> Law<N, R, P> for Derived<L> {
    const NAME: &'static str = L::NAME;
    const EQUATION: &'static str = L::EQUATION;
    const DOC: &'static str = L::DOC;
    const PARAMS: [Param; P] = L::PARAMS;
    const PROXY: Proxy = L::PROXY;
    fn rest(x: [Vec3; N]) -> Option<[f64; R]> {
        L::rest(x)
    }
    fn energy<T: Scalar>(x: [Vec3<T>; N], rest: [T; R], material: [T; P]) -> T {
        L::energy(x, rest, material)
    }
    fn proxy(rest: [f64; R], material: [f64; P]) -> [[f64; N]; N] {
        L::proxy(rest, material)
    }
}

fn quadratic<const N: usize>(blocks: &Blocks<N>, v: &[Vec3; N]) -> f64 {
    let mut sum = 0.0;
    for a in 0..N {
        for b in 0..N {
            sum += v[a].dot(blocks[a][b] * v[b]);
        }
    }
    sum
}

fn size<const N: usize>(blocks: &Blocks<N>) -> f64 {
    blocks.iter().flatten().flat_map(|m: &Mat3| m.0).flatten().map(f64::abs).fold(1e-9, f64::max)
}

/// `a x + b y`, block by block.
fn combined<const N: usize>(a: f64, x: &Blocks<N>, b: f64, y: &Blocks<N>) -> Blocks<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| x[i][j] * a + y[i][j] * b))
}

fn check<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize>() {
    let mut numbers = Numbers(17);
    let name = L::NAME;
    let mut compressed = 0;
    for trial in 0..500 {
        let rest_at: [Vec3; N] = std::array::from_fn(|_| numbers.point());
        let x: [Vec3; N] = std::array::from_fn(|_| numbers.point());
        // Some laws rest flat only, with their wings on either side of the edge.
        let mut flat = rest_at.map(|x| p(x.x, x.y, 0.0));
        if let [a, b, c, d] = &mut flat[..] {
            *d = *a * 2.0 - *c + (*b - *a) * numbers.next();
        }
        let rest_at = if L::rest(rest_at).is_none() { flat } else { rest_at };
        // Masses and volumes cannot be told from positions.
        let rest =
            L::rest(rest_at).unwrap_or_else(|| std::array::from_fn(|_| 0.5 + numbers.next().abs()));
        // Slivers lose digits in F, whichever way one derives.
        if R == 10 && rest.iter().any(|value| value.abs() > 50.0) {
            continue;
        }
        let material: [f64; P] = std::array::from_fn(|k| {
            let sign = if L::PARAMS[k].range[0] < 0.0 && trial % 2 == 1 { -1.0 } else { 1.0 };
            let [low, high] = L::PARAMS[k].range;
            (sign * L::PARAMS[k].default * (1.0 + 0.5 * numbers.next())).clamp(low, high)
        });
        let material = if L::rigid(material) {
            assert_eq!(L::energy(x, rest, material), 0.0, "{name}");
            assert_eq!(L::gradient(x, rest, material), [Vec3::ZERO; N], "{name}");
            assert!(L::hessian(x, rest, material, 1.0) == [[Mat3::ZERO; N]; N], "{name}");
            assert_eq!(L::proxy(rest, material), [[0.0; N]; N], "{name}");
            material.map(|_| 0.01 * (1.0 + 0.5 * numbers.next()))
        } else {
            material
        };

        let gradient = L::gradient(x, rest, material);
        if L::SPRINGS {
            assert_eq!(N, 2, "{name}");
            let ([k, l], along) = (L::spring(rest, material), x[0] - x[N - 1]);
            let stretch = along.norm() - l;
            let (energy, pull) = (0.5 * k * stretch * stretch, along.unit() * (k * stretch));
            let told = L::energy(x, rest, material);
            assert!((told - energy).abs() <= 1e-12 * energy, "{name}: {told} {energy}");
            assert!((gradient[0] - pull).norm() <= 1e-12 * pull.norm() + 1e-12, "{name}");
        }
        let derived = Derived::<L>::gradient(x, rest, material);
        let scale = derived.iter().map(|g| g.norm()).fold(1e-9, f64::max);
        for (g, d) in gradient.iter().zip(&derived) {
            assert!((*g - *d).norm() <= 1e-10 * scale, "{name}: gradient {g:?}, derived {d:?}");
        }

        for keep in [1.0, 0.5, 0.0] {
            let hessian = L::hessian(x, rest, material, keep);
            let derived = if L::GRADED_IN_PARTS {
                let [whole, none] = [1.0, 0.0].map(|keep| L::hessian(x, rest, material, keep));
                let exact = Derived::<L>::hessian(x, rest, material, 1.0);
                let dropped = combined(1.0, &none, -1.0, &whole);
                combined(1.0, &exact, 1.0 - keep, &dropped)
            } else {
                Derived::<L>::hessian(x, rest, material, keep)
            };
            let scale = size(&derived).max(size(&L::hessian(x, rest, material, 1.0)));
            for (h, d) in hessian.iter().flatten().zip(derived.iter().flatten()) {
                for (h, d) in h.0.iter().flatten().zip(d.0.iter().flatten()) {
                    assert!((h - d).abs() <= 1e-9 * scale, "{name} keep {keep}: {h}, derived {d}");
                }
            }
            let v: [Vec3; N] = std::array::from_fn(|_| numbers.point());
            let curvature = quadratic(&hessian, &v);
            if keep == 0.0 {
                assert!(curvature >= -1e-9 * scale, "{name}: negative at keep 0: {curvature}");
            }
            compressed += usize::from(keep == 1.0 && curvature < 0.0);
            if L::PROXY == Proxy::Bound {
                let proxy = L::proxy(rest, material);
                let bound: f64 = (0..N)
                    .flat_map(|a| (0..N).map(move |b| (a, b)))
                    .map(|(a, b)| proxy[a][b] * v[a].dot(v[b]))
                    .sum();
                let slack = 1e-9 * (scale + bound.abs());
                assert!(bound >= curvature - slack, "{name}: bound {bound} below {curvature}");
            }
        }

        // The geometric stiffness is what the Hessian has besides the rows' gradients.
        let (mut multipliers, mut along) = (Vec::new(), [[Mat3::ZERO; N]; N]);
        L::rows(x, rest, material, &mut |row: Row<N>| {
            multipliers.push(-row.value / row.compliance);
            for (a, blocks) in along.iter_mut().enumerate() {
                for (b, block) in blocks.iter_mut().enumerate() {
                    let pair = row.gradient[a].outer(row.gradient[b]);
                    *block += pair * (1.0 / row.compliance);
                }
            }
        });
        for keep in [1.0, 0.5, 0.0] {
            let geometric = L::geometric(x, rest, material, &multipliers, keep);
            let hessian = L::hessian(x, rest, material, keep);
            let error = combined(1.0, &combined(1.0, &geometric, 1.0, &along), -1.0, &hessian);
            let scale = size(&hessian) + size(&along);
            assert!(
                size(&error) <= 1e-9 * scale.max(1.0),
                "{name}: geometric stiffness, keep {keep}"
            );
        }

        let (mut energy, mut force, mut rows) = (0.0, [Vec3::ZERO; N], 0);
        L::rows(x, rest, material, &mut |row: Row<N>| {
            rows += 1;
            energy += 0.5 * row.value * row.value / row.compliance;
            for (f, g) in force.iter_mut().zip(&row.gradient) {
                *f += *g * (row.value / row.compliance);
            }
        });
        assert_eq!(rows, L::ROWS, "{name}");
        if rows > 0 {
            // Up to a constant: the same at rest.
            let mut at_rest = 0.0;
            L::rows(rest_at, rest, material, &mut |row: Row<N>| {
                at_rest += 0.5 * row.value * row.value / row.compliance;
            });
            let mut still = 0.0f64;
            let usual = L::PARAMS.map(|param| param.default);
            L::rows(rest_at, rest, usual, &mut |row: Row<N>| still = still.max(row.value.abs()));
            assert_eq!(still <= 1e-9, L::COMPATIBLE, "{name}: {still:e} at rest");
            let expected = L::energy(x, rest, material);
            let size = energy.abs() + at_rest.abs() + expected.abs();
            let constant = at_rest - L::energy(rest_at, rest, material);
            assert!((energy - expected - constant).abs() <= 1e-10 * size, "{name}: rows");
            for (f, g) in force.iter().zip(&gradient) {
                assert!((*f - *g).norm() <= 1e-10 * scale, "{name}: rows' gradient");
            }
        }
    }
    if name.contains("spring") {
        assert!(compressed > 20, "{name}: the samples must reach the indefinite region");
    }
}

macro_rules! check_all {
    ($($law:ident<$n:literal, $r:literal, $p:literal>,)*) => {
        #[test]
        fn overrides_equal_derivations() {
            $(check::<$law, $n, $r, $p>();)*
            // The stencil and the volume have tests of their own.
            assert_eq!([$($law::NAME),*].len() + 2, LAWS.len());
        }
    };
}
each_law!(check_all);

/// The derivation itself against central differences of the energy.
#[test]
fn derivations_equal_differences() {
    let x = [Vec3::new(0.3, -0.2, 0.1), Vec3::new(-0.5, 0.4, 0.9)];
    let (rest, material) = ([1.3], [250.0]);
    let derived = Derived::<Spring>::gradient(x, rest, material);
    let hessian = Derived::<Spring>::hessian(x, rest, material, 1.0);
    let e = 1e-5;
    for corner in 0..2 {
        for axis in 0..3 {
            let shifted = |by: f64| {
                let mut x = x;
                x[corner][axis] += by;
                x
            };
            let slope = (Spring::energy(shifted(e), rest, material)
                - Spring::energy(shifted(-e), rest, material))
                / (2.0 * e);
            assert!((slope - derived[corner][axis]).abs() < 1e-6);
            let ahead = Spring::gradient(shifted(e), rest, material);
            let behind = Spring::gradient(shifted(-e), rest, material);
            for other in 0..2 {
                for other_axis in 0..3 {
                    let difference =
                        (ahead[other][other_axis] - behind[other][other_axis]) / (2.0 * e);
                    let value = hessian[other][corner].0[other_axis][axis];
                    assert!((difference - value).abs() < 1e-5, "{difference} {value}");
                }
            }
        }
    }
}

#[test]
fn coincident_ends_have_no_force_and_a_full_hessian() {
    let x = [Vec3::new(0.1, 0.2, 0.3); 2];
    for l in [0.0, 1.0] {
        let gradient = Spring::gradient(x, [l], [70.0]);
        assert_eq!(gradient, [Vec3::ZERO; 2]);
        let hessian = Spring::hessian(x, [l], [70.0], 1.0);
        assert_eq!(hessian[0][0], Mat3::diagonal(70.0));
    }
}

#[test]
fn the_registry_finds_every_law() {
    for law in LAWS {
        assert_eq!(find(law.name).unwrap().equation, law.equation);
        assert!(!law.doc.is_empty() && !law.equation.is_empty());
        for param in law.params {
            assert!((param.range[0]..=param.range[1]).contains(&param.default), "{}", param.name);
        }
    }
}

#[test]
fn two_laws_of_one_name_stay_two() {
    struct Other;
    impl Law<2, 1, 1> for Other {
        const NAME: &'static str = "spring";
        const EQUATION: &'static str = "E = 0";
        const DOC: &'static str = "Nothing.";
        const PARAMS: [Param; 1] = Spring::PARAMS;
        const PROXY: Proxy = Proxy::Bound;
        fn rest(x: [Vec3; 2]) -> Option<[f64; 1]> {
            Spring::rest(x)
        }
        fn energy<T: Scalar>(_: [Vec3<T>; 2], _: [T; 1], _: [T; 1]) -> T {
            T::of(0.0)
        }
        fn proxy(_: [f64; 1], _: [f64; 1]) -> [[f64; 2]; 2] {
            [[0.0; 2]; 2]
        }
    }
    let mut model = hooke::Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(Vec3::new(1.0, 0.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 10.0, None).unwrap();
    model.add_element(&info::<Other, 2, 1, 1>(), &[0, 1], None, &[10.0]).unwrap();
    assert_eq!(model.elements().len(), 2);
}
