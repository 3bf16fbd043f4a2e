# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: runs the statements on standard input with DuckDB, and prints the rows of the last one as CSV without a
# header; by its C interface, https://duckdb.org/docs/api/c/overview
#
# usage: duck.py LIBRARY <STATEMENTS
import ctypes
import re
import sys

RESULT_BYTES = 256  # duckdb_result, which only DuckDB looks into, has 48


def main():
    duckdb = ctypes.CDLL(sys.argv[1])
    duckdb.duckdb_result_error.restype = ctypes.c_char_p
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    result = ctypes.create_string_buffer(RESULT_BYTES)
    if duckdb.duckdb_open(None, ctypes.byref(database)) or duckdb.duckdb_connect(database, ctypes.byref(connection)):
        sys.exit('duck.py: cannot open a database')
    *first, last = [sql for sql in re.split(r';\s*', sys.stdin.read()) if sql]
    for sql in first + [f"COPY ({last}) TO '/dev/stdout' (FORMAT csv, HEADER false)"]:
        if duckdb.duckdb_query(connection, sql.encode(), result):
            sys.exit(duckdb.duckdb_result_error(result).decode())
        duckdb.duckdb_destroy_result(result)
    duckdb.duckdb_disconnect(ctypes.byref(connection))
    duckdb.duckdb_close(ctypes.byref(database))


main()
