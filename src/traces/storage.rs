//! The few parts of HDF5 that traces need: compressed tables and attributes.

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, DatasetBuilderEmpty, File, FileBuilder, Group, H5Type, Location, Result};
use std::path::Path;

/// The gzip level. Higher ones take twice as long and barely shrink simulated floats any further.
const DEFLATE: u8 = 1;
/// HDF5's chunk cache holds 1 MB. A larger chunk would be compressed again at every partial write.
const CHUNK_BYTES: usize = 1 << 20;

/// Rows and columns, where 0 columns stand for a plain vector.
#[derive(Clone, Copy)]
pub struct TableSize {
    pub rows: usize,
    pub columns: usize,
}

impl TableSize {
    fn chunk_rows<T>(self) -> usize {
        CHUNK_BYTES / (self.columns.max(1) * size_of::<T>())
    }
}

/// Creates a new file. It does not record the time of writing, so the same episodes make the same bytes.
pub fn create(path: &Path) -> Result<File> {
    FileBuilder::new().with_fcpl(|file| file.obj_track_times(false)).create(path)
}

pub fn group(parent: &Group, name: &str) -> Result<Group> {
    parent.create_group_builder().obj_track_times(false).create(name)
}

fn compressed<T: H5Type>(group: &Group) -> DatasetBuilderEmpty {
    group.new_dataset::<T>().shuffle().deflate(DEFLATE).obj_track_times(false)
}

/// Writes a complete table.
pub fn table<T: H5Type>(group: &Group, name: &str, columns: usize, values: &[T]) -> Result<()> {
    let shape = TableSize { rows: values.len() / columns.max(1), columns };
    let chunk = shape.chunk_rows::<T>().clamp(1, shape.rows.max(1));
    let builder = compressed::<T>(group);
    let dataset = match columns {
        0 => builder.chunk(chunk).shape(shape.rows).create(name)?,
        _ => builder.chunk((chunk, columns)).shape((shape.rows, columns)).create(name)?,
    };
    dataset.write_raw(values)
}

/// A table that grows at its end.
pub struct Growing {
    dataset: Dataset,
    shape: TableSize,
}

impl Growing {
    pub fn new<T: H5Type>(group: &Group, name: &str, columns: usize) -> Result<Self> {
        let shape = TableSize { rows: 0, columns };
        let chunk = shape.chunk_rows::<T>().clamp(1, 4096);
        let builder = compressed::<T>(group);
        let dataset = match columns {
            0 => builder.chunk(chunk).shape(0..).create(name)?,
            _ => builder.chunk((chunk, columns)).shape((0.., columns)).create(name)?,
        };
        Ok(Self { dataset, shape })
    }

    pub fn append<T: H5Type>(&mut self, values: &[T]) -> Result<()> {
        let start = self.shape.rows;
        let columns = self.shape.columns;
        let rows = values.len() / columns.max(1);
        self.shape.rows += rows;
        match columns {
            0 => {
                self.dataset.resize(self.shape.rows)?;
                self.dataset.write_slice(values, start..)
            }
            _ => {
                self.dataset.resize((self.shape.rows, columns))?;
                let matrix = ndarray::ArrayView2::from_shape((rows, columns), values);
                self.dataset.write_slice(matrix.map_err(|e| hdf5::Error::Internal(e.to_string()))?, (start.., ..))
            }
        }
    }
}

pub fn attribute<T: H5Type>(on: &Location, name: &str, value: T) -> Result<()> {
    on.new_attr::<T>().create(name)?.write_scalar(&value)
}

pub fn text_attribute(on: &Location, name: &str, text: &str) -> Result<()> {
    // HDF5 ends strings at a zero byte. No sensible text contains one, so it is dropped.
    let text: VarLenUnicode =
        text.replace('\0', "").parse().map_err(|e| hdf5::Error::Internal(format!("{name}: {e}")))?;
    attribute(on, name, text)
}
