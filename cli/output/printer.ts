import Papa from 'papaparse'
import type { Format } from '../base/flags.ts'
import { type Io, oneLine } from '../base/io.ts'
import { escapeUnseen } from '../../shared/format/invisible.ts'
import { isObject } from '../../shared/json/object.ts'
import { lineOf, valueOf, type Entry } from './entries.ts'

/** How the entries of a list are shown in the formats that show only a part of them. */
export interface Shown {
  /** Header and way to the value, for CSV. `a|b` on the way is the first of these members that is there. */
  readonly columns: readonly (readonly [header: string, ...way: string[]])[]
  /** The rows of one entry, for CSV and text; one for each without it. Called for each entry in order. */
  readonly rows?: (entry: unknown) => readonly unknown[]
  /** A value that stands in a column is left out of those after it: a host may send one id under two names. */
  readonly isEachOnce?: boolean
  /** One row as a line of text. */
  readonly text: (entry: unknown, io: Io) => string
}

/** Prints entries as they come; nothing of them is kept. */
interface Printer {
  print(entries: readonly Entry[]): Promise<void>
  end(): Promise<void>
}

/** What a command prints if nothing is said: text for a person, lines of JSON for a program. */
export const formatFor = (io: Io, given: Format | undefined, json: boolean | undefined): Format =>
  given ?? (json ? 'json' : io.terminal ? 'text' : 'ndjson')

const encoder = new TextEncoder()
const [COMMA, LINE] = [encoder.encode(',\n'), encoder.encode('\n')]

export function createPrinter(io: Io, format: Format, shown: Shown): Printer {
  const { columns, text, rows: rowsOf = (entry) => [entry] } = shown
  let first = true

  /** In one piece for each batch, so that the stream is not called for each entry. */
  async function bytes(entries: readonly Entry[], between: (first: boolean) => Uint8Array[]): Promise<void> {
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
        print: (entries) => io.print(Buffer.concat(entries.flatMap((entry) => [lineOf(entry), LINE]))),
        end: async () => undefined,
      }
    case 'json':
      return {
        print: (entries) => bytes(entries, (isFirst) => (isFirst ? [encoder.encode('[\n')] : [COMMA])),
        end: () => io.print(first ? '[]\n' : '\n]\n'),
      }
    case 'csv':
      return {
        async print(entries) {
          const rows = entries.flatMap((entry) => rowsOf(valueOf(entry)).map((row) => cells(row, shown)))
          const fields = columns.map(([header]) => header)
          const data = first ? [fields, ...rows] : rows
          first = false
          // What a spreadsheet would take for a formula is text to it: the titles are foreign.
          if (data.length > 0) await io.print(`${Papa.unparse(data, { escapeFormulae: true })}\r\n`)
        },
        end: () => (first ? io.print(`${Papa.unparse([columns.map(([header]) => header)])}\r\n`) : Promise.resolve()),
      }
    case 'text':
      return {
        print: (entries) =>
          io.say(entries.flatMap((entry) => rowsOf(valueOf(entry)).map((row) => `${text(row, io)}\n`)).join('')),
        end: async () => undefined,
      }
  }
}

const cells = (value: unknown, { columns, isEachOnce = false }: Shown): string[] => {
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
export function textAt(value: unknown, ...way: string[]): string {
  const found = at(value, way)
  return found === undefined || found === null || typeof found === 'object' ? '' : escapeUnseen(oneLine(String(found)))
}
