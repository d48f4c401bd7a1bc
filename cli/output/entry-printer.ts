import Papa from 'papaparse'
import type { OutputFormat } from '../base/flags.ts'
import { type Io, toPlainText } from '../base/io.ts'
import { formulaPattern } from '../../shared/format/markup.ts'
import { isObject } from '../../shared/json/object.ts'
import { toJsonLine, parseJsonEntry, type JsonEntry } from './response-list.ts'

/** The parts of an entry that csv and text output show. */
export interface EntryLayout {
  /** CSV header and path to its value. `a|b` in a path is the first of these that exists. */
  readonly columns: readonly (readonly [header: string, ...path: string[]])[]
  /** Lines of one entry in csv and text, by default one. Called for each entry in order. */
  readonly toRows?: (entry: unknown) => readonly unknown[]
  /** Leaves out values that an earlier column shows: a host may send one id under two names. */
  readonly hasUniqueCells?: boolean
  readonly formatText: (entry: unknown, io: Io) => string
}

/** Columns that are named as the members that they show. */
export function toColumns(...names: readonly string[]): EntryLayout['columns'] {
  return names.map((name) => [name, name])
}

/** Prints entries as they arrive and stores none of them. */
interface EntryPrinter {
  printEntries(entries: readonly JsonEntry[]): Promise<void>
  printEnd(): Promise<void>
}

/** On a terminal, the default is text for a person; elsewhere it is one JSON value per line. */
export function chooseOutputFormat(
  io: Io,
  requestedFormat: OutputFormat | undefined,
  json: boolean | undefined,
): OutputFormat {
  return requestedFormat ?? (json ? 'json' : io.isTerminal ? 'text' : 'ndjson')
}

const encoder = new TextEncoder()
const [COMMA, LINE] = [encoder.encode(',\n'), encoder.encode('\n')]

export function createEntryPrinter(io: Io, format: OutputFormat, layout: EntryLayout): EntryPrinter {
  const { columns, formatText, toRows = (entry) => [entry] } = layout
  let isFirst = true

  /** The batch is printed in one piece, so that the stream is not called for each entry. */
  async function printSeparated(
    entries: readonly JsonEntry[],
    getSeparator: (isFirstEntry: boolean) => Uint8Array[],
  ): Promise<void> {
    const parts = entries.flatMap((entry) => {
      const separator = getSeparator(isFirst)
      isFirst = false
      return [...separator, entry]
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
        printEntries: (entries) =>
          printSeparated(entries, (isFirstEntry) => (isFirstEntry ? [encoder.encode('[\n')] : [COMMA])),
        printEnd: () => io.print(isFirst ? '[]\n' : '\n]\n'),
      }
    case 'csv':
      return {
        async printEntries(entries) {
          const rows = entries.flatMap((entry) => toRows(parseJsonEntry(entry)).map((row) => toCells(row, layout)))
          const fields = columns.map(([header]) => header)
          const data = isFirst ? [fields, ...rows] : rows
          isFirst = false
          // Titles come from the host, and a spreadsheet must not take one for a formula.
          if (data.length > 0) await io.print(`${Papa.unparse(data, { escapeFormulae: formulaPattern })}\r\n`)
        },
        printEnd: () =>
          isFirst ? io.print(`${Papa.unparse([columns.map(([header]) => header)])}\r\n`) : Promise.resolve(),
      }
    case 'text':
      return {
        printEntries: (entries) =>
          io.printText(
            entries.flatMap((entry) => toRows(parseJsonEntry(entry)).map((row) => `${formatText(row, io)}\n`)).join(''),
          ),
        printEnd: async () => undefined,
      }
  }
}

const toCells = (value: unknown, { columns, hasUniqueCells = false }: EntryLayout): (string | number)[] => {
  const row = columns.map(([, ...path]) => {
    const member = getValueAt(value, path)
    return member === undefined || member === null
      ? ''
      : typeof member === 'object'
        ? JSON.stringify(member)
        : typeof member === 'number'
          ? member
          : String(member)
  })
  return hasUniqueCells ? row.map((cell, index) => (row.indexOf(cell) < index ? '' : cell)) : row
}

function getValueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const names of path) {
    const owner = current
    const name = names.split('|').find((candidate) => isObject(owner) && Object.hasOwn(owner, candidate))
    current = isObject(owner) && name !== undefined ? owner[name] : undefined
  }
  return current
}

/** Returns a title and the space after it; empty if the host sent none, as it need not. */
export function getTitleAt(entry: unknown, path: string, style: Io['style']): string {
  const title = getTextAt(entry, path)
  if (title !== '') return `${title}  `
  return getValueAt(entry, [path]) === undefined ? '' : `${style.dim('untitled')}  `
}

/** Returns the text at a path on one line; empty if the member is missing. */
export function getTextAt(value: unknown, ...path: string[]): string {
  const member = getValueAt(value, path)
  return member === undefined || member === null || typeof member === 'object' ? '' : toPlainText(String(member))
}
