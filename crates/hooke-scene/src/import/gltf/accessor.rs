//! Typed arrays inside glTF buffers, with every bound checked once when an array is opened.

use std::borrow::Cow;

use super::super::error::{ImportError, Result};
use super::document::Document;
use super::wrong;

pub(super) struct Accessors<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) buffers: &'a [Cow<'a, [u8]>],
}

/// The numbers of one accessor.
pub(super) struct Array<'a> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
    component: Component,
    normalized: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(number: u32) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

impl<'a> Accessors<'a> {
    /// The array of an accessor, which must have the given shape and lie inside its buffer.
    pub(super) fn open(&self, index: usize, shape: &str) -> Result<Array<'a>> {
        let name = |message: String| wrong(format!("accessor {index} {message}"));
        let accessor = (self.document.accessors.get(index))
            .ok_or_else(|| name("is used, but does not exist".to_owned()))?;
        if accessor.shape != shape {
            return Err(name(format!("should be of type {shape}")));
        }
        if accessor.sparse.is_some() {
            return Err(name("is sparse; save the file without sparse accessors".to_owned()));
        }
        let component = Component::of(accessor.component_type).ok_or_else(|| {
            name(format!("has the unknown component type {}", accessor.component_type))
        })?;
        let view_index = accessor
            .buffer_view
            .ok_or_else(|| name("has no buffer view and so no data".to_owned()))?;
        let view = (self.document.buffer_views.get(view_index)).ok_or_else(|| {
            name(format!("refers to buffer view {view_index}, which does not exist"))
        })?;
        let width = match shape {
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 1,
        };
        let size = width * component.size();
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(name(format!("has items of {size} bytes in strides of {stride}")));
        }
        let bytes = self
            .view(view.buffer, view.byte_offset, view.byte_length)
            .ok_or_else(|| wrong(format!("buffer view {view_index} reaches outside its buffer")))?;
        let bytes = bytes
            .get(accessor.byte_offset..)
            .filter(|bytes| {
                span(accessor.count, stride, size).is_some_and(|span| span <= bytes.len())
            })
            .ok_or_else(|| name(format!("reaches outside buffer view {view_index}")))?;
        let normalized = accessor.normalized;
        Ok(Array { bytes, count: accessor.count, stride, component, normalized })
    }

    fn view(&self, buffer: usize, offset: usize, length: usize) -> Option<&'a [u8]> {
        self.buffers.get(buffer)?.get(offset..)?.get(..length)
    }
}

/// The bytes that `count` items take.
fn span(count: usize, stride: usize, size: usize) -> Option<usize> {
    match count.checked_sub(1) {
        None => Some(0),
        Some(gaps) => gaps.checked_mul(stride)?.checked_add(size),
    }
}

impl Array<'_> {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn floats<const N: usize>(&self, item: usize) -> Result<[f64; N]> {
        let mut values = [0.0; N];
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.value(item, i)?;
        }
        Ok(values)
    }

    pub(super) fn index(&self, item: usize) -> Result<u32> {
        if !matches!(self.component, Component::U8 | Component::U16 | Component::U32) {
            return Err(wrong("indices must be unsigned integers"));
        }
        Ok(self.value(item, 0)? as u32)
    }

    /// One component; every integer of at most 32 bits is exact as a float.
    fn value(&self, item: usize, i: usize) -> Result<f64> {
        let offset = item * self.stride + i * self.component.size();
        let raw = |size: usize| self.bytes.get(offset..offset + size).ok_or_else(outside);
        let (value, largest) = match self.component {
            Component::I8 => (f64::from(i8::from_le_bytes(fixed(raw(1)?)?)), f64::from(i8::MAX)),
            Component::U8 => (f64::from(u8::from_le_bytes(fixed(raw(1)?)?)), f64::from(u8::MAX)),
            Component::I16 => (f64::from(i16::from_le_bytes(fixed(raw(2)?)?)), f64::from(i16::MAX)),
            Component::U16 => (f64::from(u16::from_le_bytes(fixed(raw(2)?)?)), f64::from(u16::MAX)),
            Component::U32 => (f64::from(u32::from_le_bytes(fixed(raw(4)?)?)), f64::from(u32::MAX)),
            Component::F32 => (f64::from(f32::from_le_bytes(fixed(raw(4)?)?)), 1.0),
        };
        let scaled = self.normalized && self.component != Component::F32;
        Ok(if scaled { (value / largest).max(-1.0) } else { value })
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| outside())
}

fn outside() -> ImportError {
    wrong("an item lies outside its buffer")
}
