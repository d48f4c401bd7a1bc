import Papa from 'papaparse'
import type { OutputFormat } from '../base/flags.ts'
import { type Io, toSingleLine } from '../base/io.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { isObject } from '../../shared/json/object.ts'
import { toJsonLine, parseEntry, type JsonEntry } from './response-list.ts'

/** How the entries of a list are shown in the formats that show only a part of them. */
export interface EntryLayout {
  /** Header and way to the value, for CSV. `a|b` on the way is the first of these members that is there. */
  readonly columns: readonly (readonly [header: string, ...way: string[]])[]
  /** The rows of one entry, for CSV and text; one for each without it. Called for each entry in order. */
  readonly toRows?: (entry: unknown) => readonly unknown[]
  /** A value that stands in a column is left out of those after it: a host may send one id under two names. */
  readonly hasUniqueCells?: boolean
  /** One row as a line of text. */
  readonly formatText: (entry: unknown, io: Io) => string
}

/** Prints entries as they come; nothing of them is kept. */
interface EntryPrinter {
  printEntries(entries: readonly JsonEntry[]): Promise<void>
  printEnd(): Promise<void>
}

/** What a command prints if nothing is said: text for a person, lines of JSON for a program. */
export const chooseFormat = (io: Io, given: OutputFormat | undefined, json: boolean | undefined): OutputFormat =>
  given ?? (json ? 'json' : io.isTerminal ? 'text' : 'ndjson')

const encoder = new TextEncoder()
const [COMMA, LINE] = [encoder.encode(',\n'), encoder.encode('\n')]

export function createEntryPrinter(io: Io, format: OutputFormat, shown: EntryLayout): EntryPrinter {
  const { columns, formatText: text, toRows: rowsOf = (entry) => [entry] } = shown
  let first = true

  /** In one piece for each batch, so that the stream is not called for each entry. */
  async function bytes(entries: readonly JsonEntry[], between: (first: boolean) => Uint8Array[]): Promise<void> {
    const parts = entries.flatMap((entry) => {
      const before = between(first)
      first = false
      return [...before, entry]
    })
    await io.print(Buffer.concat(parts))
  }

  switch (format) {
    case 'ndjson':
      return {
        printEntries: (entries) => io.print(Buffer.concat(entries.flatMap((entry) => [toJsonLine(entry), LINE]))),
        printEnd: async () => undefined,
      }
    case 'json':
      return {
        printEntries: (entries) => bytes(entries, (isFirst) => (isFirst ? [encoder.encode('[\n')] : [COMMA])),
        printEnd: () => io.print(first ? '[]\n' : '\n]\n'),
      }
    case 'csv':
      return {
        async printEntries(entries) {
          const rows = entries.flatMap((entry) => rowsOf(parseEntry(entry)).map((row) => cells(row, shown)))
          const fields = columns.map(([header]) => header)
          const data = first ? [fields, ...rows] : rows
          first = false
          // What a spreadsheet would take for a formula is text to it: the titles are foreign.
          if (data.length > 0) await io.print(`${Papa.unparse(data, { escapeFormulae: true })}\r\n`)
        },
        printEnd: () =>
          first ? io.print(`${Papa.unparse([columns.map(([header]) => header)])}\r\n`) : Promise.resolve(),
      }
    case 'text':
      return {
        printEntries: (entries) =>
          io.printText(
            entries.flatMap((entry) => rowsOf(parseEntry(entry)).map((row) => `${text(row, io)}\n`)).join(''),
          ),
        printEnd: async () => undefined,
      }
  }
}

const cells = (value: unknown, { columns, hasUniqueCells: isEachOnce = false }: EntryLayout): string[] => {
  const row = columns.map(([, ...way]) => {
    const found = at(value, way)
    return found === undefined || found === null
      ? ''
      : typeof found === 'object'
        ? JSON.stringify(found)
        : String(found)
  })
  return isEachOnce ? row.map((cell, index) => (row.indexOf(cell) < index ? '' : cell)) : row
}

function at(value: unknown, way: readonly string[]): unknown {
  let here = value
  for (const names of way) {
    const owner = here
    const name = names.split('|').find((one) => isObject(owner) && Object.hasOwn(owner, one))
    here = isObject(owner) && name !== undefined ? owner[name] : undefined
  }
  return here
}

/** A member as foreign text for one line; empty if it is not there. */
export function getTextAt(value: unknown, ...way: string[]): string {
  const found = at(value, way)
  return found === undefined || found === null || typeof found === 'object'
    ? ''
    : escapeInvisible(toSingleLine(String(found)))
}
