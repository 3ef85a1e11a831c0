//! Tables as Parquet files: a column of an optional primitive a column of the table, a row group a batch of records.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type as Node;
use serde_json::Value;

use super::{Table, Type, VERSION, types};

/// A table's file while it is written.
pub struct File<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    types: &'static [Type],
}

impl<W: Write + Send> File<W> {
    /// A file without rows; its metadata has the tables' version as `clockscope`.
    ///
    /// # Errors
    /// What the place refuses.
    pub fn new(to: W, table: &Table) -> Result<Self> {
        let types = types(table.name);
        let columns = table.columns().zip(types).map(|(name, of)| column(name, *of));
        let fields = columns.collect::<Result<Vec<_>>>()?;
        let schema = Node::group_type_builder(table.name).with_fields(fields).build()?;
        let version = KeyValue::new("clockscope".to_owned(), VERSION.to_owned());
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![version])).build();
        let writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, types })
    }

    /// Adds rows, as one row group.
    ///
    /// # Errors
    /// What the place refuses.
    pub fn put(&mut self, rows: &[Vec<Value>]) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for (at, of) in self.types.iter().enumerate() {
            let Some(mut column) = group.next_column()? else { break };
            let cells = rows.iter().map(|row| row.get(at).unwrap_or(&Value::Null));
            match of {
                Type::Text => {
                    fill::<ByteArrayType>(&mut column, cells.map(|cell| cell.as_str().map(ByteArray::from)))?;
                }
                Type::Flag => fill::<BoolType>(&mut column, cells.map(Value::as_bool))?,
                Type::Whole => fill::<Int64Type>(&mut column, cells.map(Value::as_i64))?,
                Type::Number => fill::<DoubleType>(&mut column, cells.map(Value::as_f64))?,
            }
            column.close()?;
        }
        group.close().map(drop)
    }

    /// Ends the file, and gives back what it was written to.
    ///
    /// # Errors
    /// What the place refuses.
    pub fn finish(self) -> Result<W> {
        self.writer.into_inner()
    }
}

fn column(name: &str, of: Type) -> Result<Arc<Node>> {
    let (physical, logical) = match of {
        Type::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Type::Flag => (Physical::BOOLEAN, None),
        Type::Whole => (Physical::INT64, None),
        Type::Number => (Physical::DOUBLE, None),
    };
    let builder = Node::primitive_type_builder(name, physical).with_logical_type(logical);
    builder.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
}

/// Writes the cells; `None` is null.
fn fill<T: DataType>(column: &mut SerializedColumnWriter<'_>, cells: impl Iterator<Item = Option<T::T>>) -> Result<()> {
    let cells: Vec<Option<T::T>> = cells.collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}
