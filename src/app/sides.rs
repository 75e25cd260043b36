//! The sides of a comparison: which runs belong to which, and what they hold.
