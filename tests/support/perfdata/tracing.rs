//! The section TRACING_DATA: what perf copies from the kernel's tracing folder.
//!
//! The layout is that of `trace-cmd.dat(5)` up to its buffers.

use super::feature::{Feature, id};
use super::fields::{Fields, Order};

/// Formats of tracepoints, as files of the kernel.
#[derive(Clone, Debug, Default)]
pub struct TracingData {
    /// Systems, each with its files `format`.
    systems: Vec<(String, Vec<String>)>,
}

impl TracingData {
    /// No tracepoint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tracepoint; `fields` are lines of its file `format`, behind those that all have.
    pub fn tracepoint(mut self, system: &str, name: &str, id: u64, fields: &[&str]) -> Self {
        let mut format = format!("name: {name}\nID: {id}\nformat:\n");
        let common = [
            "field:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
            "field:int common_pid;\toffset:4;\tsize:4;\tsigned:1;",
            "",
        ];
        for field in common.iter().chain(fields) {
            format.push_str(&format!("\t{field}\n"));
        }
        format.push_str("\nprint fmt: \"field:%d;\toffset:0;\tsize:1;\", REC->a\n");
        match self.systems.iter_mut().find(|(known, _)| known == system) {
            Some((_, formats)) => formats.push(format),
            None => self.systems.push((system.to_owned(), vec![format])),
        }
        self
    }

    /// The bytes.
    pub fn bytes(&self, order: Order) -> Vec<u8> {
        let text = |fields: Fields, text: &str| fields.u64(text.len() as u64).bytes(text.as_bytes());
        let (is_big, long_size, page_size) = (u8::from(order == Order::Big), 8, 4096);
        let mut fields = Fields::new().bytes(b"\x17\x08\x44tracing0.6\0").bytes(&[is_big, long_size]);
        fields = text(fields.u32(page_size).bytes(b"header_page\0"), "\tfield: u64 timestamp;\n");
        fields = text(fields.bytes(b"header_event\0"), "# compressed entry header\n");
        let n_ftrace = 0;
        fields = fields.u32(n_ftrace).u32(self.systems.len() as u32);
        for (system, formats) in &self.systems {
            fields = fields.bytes(system.as_bytes()).bytes(&[0]).u32(formats.len() as u32);
            fields = formats.iter().fold(fields, |fields, format| text(fields, format));
        }
        let (kallsyms, printk, comms) = ("0 t a\n", "0x1 : \"text\"\n", "7 app\n");
        fields = fields.u32(kallsyms.len() as u32).bytes(kallsyms.as_bytes());
        fields = fields.u32(printk.len() as u32).bytes(printk.as_bytes());
        text(fields, comms).encode(order)
    }
}

impl Feature {
    /// TRACING_DATA.
    pub fn tracing_data(section: &[u8]) -> Self {
        Self { id: id::TRACING_DATA, body: Fields::new().bytes(section) }
    }
}
