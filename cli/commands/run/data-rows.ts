import { createRefusedError } from '../../../shared/errors.ts'
import type { Variables } from '../../../shared/collections/variables.ts'
import { isObject } from '../../../shared/json/object.ts'
import { toPointer } from '../../../shared/json/pointer.ts'
import { NotRegularFileError, readRegularFile } from '../../../electron/system/regular-file.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_ROWS = 1_000
const MAX_COLUMNS = 200
/** The variables of a collection's file have the same limit. */
const MAX_VALUE_CHARS = 4_000
const MAX_SHOWN_CHARS = 60
const variableName = /^\w{1,60}$/

/** Reads CSV with names in its first line, or a JSON list of objects. @throws DATA_UNREADABLE */
export function readDataRows(file: string): readonly Variables[] {
  const isJson = /\.json$/i.test(file)
  if (!isJson && !/\.csv$/i.test(file)) throw createDataError('--data takes a file that ends with .csv or .json')
  let text: string
  try {
    text = readRegularFile(file, { follow: true, maxBytes: MAX_FILE_BYTES }).text.replace(/^\uFEFF/, '')
  } catch (error) {
    if (error instanceof NotRegularFileError) throw createDataError(error.message)
    throw createDataError(error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read')
  }
  const rows = isJson ? parseJsonRows(text) : parseCsvRows(text)
  if (rows.length === 0) throw createDataError('it has no rows')
  return rows
}

function parseJsonRows(text: string): Variables[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw createDataError('it is not JSON')
  }
  if (!Array.isArray(list)) throw createDataError('it is no list of objects')
  assertRowCount(list.length)
  return list.map((row: unknown, index) => {
    if (!isObject(row)) throw createDataError(`/${index} is no object`)
    const entries = Object.entries(row)
    if (entries.length > MAX_COLUMNS) throw createDataError(`/${index} has more than ${MAX_COLUMNS} members`)
    return Object.fromEntries(
      entries.map(([name, value]) => {
        const place = toPointer([index, name.slice(0, MAX_SHOWN_CHARS)])
        return [toVariableName(name, place), toVariableValue(value, place)]
      }),
    )
  })
}

function toVariableValue(value: unknown, place: string): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw createDataError(`${place} has more digits than a number keeps; write it in quotes`)
  return limitValue(typeof value === 'string' ? value : JSON.stringify(value), place)
}

function parseCsvRows(text: string): Variables[] {
  const [head, ...records] = splitCsv(text)
  if (!head) return []
  const names = head.cells.map((name) => toVariableName(name.trim(), `line ${head.line}`))
  const repeatedName = names.find((name, index) => names.indexOf(name) < index)
  if (repeatedName !== undefined) throw createDataError(`the column ${repeatedName} stands twice`)
  return records.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw createDataError(`line ${line} has ${cells.length} cells, and the first line ${names.length}`)
    return Object.fromEntries(names.map((name, index) => [name, limitValue(cells[index] ?? '', `line ${line}`)]))
  })
}

/** A quoted or plain cell, and what ends it. Quotes in a quoted cell are doubled. */
const csvCell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y

/** Splits CSV as in RFC 4180. Empty lines are left out. */
function splitCsv(text: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = []
  let cells: string[] = []
  let line = 1
  for (let position = 0, isAtEnd = text === ''; !isAtEnd;) {
    csvCell.lastIndex = position
    const [match, quoted, plain = '', end = ''] = csvCell.exec(text) ?? []
    if (match === undefined) throw createDataError(`line ${line} has a quote that does not enclose a whole cell`)
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (cells.length > MAX_COLUMNS) throw createDataError(`line ${line} has more than ${MAX_COLUMNS} cells`)
    if (end !== ',') {
      if (cells.length > 1 || quoted !== undefined || plain !== '') records.push({ line, cells })
      assertRowCount(records.length - 1)
      cells = []
      line += match.split(/\r\n?|\n/).length - 1
    }
    position += match.length
    isAtEnd = end === ''
  }
  return records
}

function toVariableName(name: string, place: string): string {
  if (variableName.test(name)) return name
  const shownName = JSON.stringify(name.slice(0, MAX_SHOWN_CHARS))
  throw createDataError(`${place}: ${shownName} is no name of a variable (letters, digits and _)`)
}

function limitValue(value: string, place: string): string {
  if (value.length > MAX_VALUE_CHARS) throw createDataError(`${place} is longer than ${MAX_VALUE_CHARS} characters`)
  return value
}

function assertRowCount(count: number): void {
  if (count > MAX_ROWS) throw createDataError(`it has more than ${MAX_ROWS} rows`)
}

const createDataError = (reason: string) =>
  createRefusedError('DATA_UNREADABLE', `The data file cannot be used: ${reason}.`, { reason })
