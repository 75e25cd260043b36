//! The script of flame graphs: zoom, search, keyboard and permalinks for every graph of a document, a page or a picture
//! that stands alone. Its parts are files of their own, and share one scope that nothing else sees.

/// The script.
pub const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n\n",
    include_str!("script/read.js"),
    "\n",
    include_str!("script/draw.js"),
    "\n",
    include_str!("script/find.js"),
    "\n",
    include_str!("script/move.js"),
    "\n",
    include_str!("script/build.js"),
    "\nif (document.readyState === \"loading\") document.addEventListener(\"DOMContentLoaded\", start);\n",
    "else start();\n})();\n",
);
