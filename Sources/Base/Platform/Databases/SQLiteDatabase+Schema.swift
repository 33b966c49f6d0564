extension SQLiteDatabase {
    /// The names of the schema's objects of a kind: `table` or `index`.
    package func names(of kind: String) throws(SQLiteError) -> Set<String> {
        let statement = try prepare("SELECT name FROM sqlite_master WHERE type = ?1")
        try statement.bind(kind, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(at: 0)) }
        return names
    }

    /// The names of a table's columns; empty if there is no such table.
    package func columns(of table: String) throws(SQLiteError) -> Set<String> {
        let statement = try prepare("SELECT name FROM pragma_table_info(?1)")
        try statement.bind(table, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(at: 0)) }
        return names
    }
}
