import { parse } from 'lossless-json'
import { inspectJson } from '../../../shared/json/inspection.ts'

/** Line and column count from 1. */
export interface JsonSyntaxError {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Returns null for valid JSON. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | null {
  let message: string
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    message = messageOf(error)
  }
  // The browser's own message names the position only sometimes.
  try {
    parse(text, null, { onDuplicateKey: ({ newValue }) => newValue })
  } catch (error) {
    message = messageOf(error)
  }
  const positionMatch = / at position (\d+)\s*$/.exec(message)
  const offset = Math.min(positionMatch ? Number(positionMatch[1]) : text.length, text.length)
  const before = text.slice(0, offset).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return {
    line: before.length,
    column,
    message: (positionMatch ? message.slice(0, positionMatch.index) : message).slice(0, 200),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

/** Parsing would lose numbers that a double cannot hold, or a duplicate key. */
export function isLossyJson(text: string): boolean {
  const { findings } = inspectJson(new TextEncoder().encode(text))
  return findings.some(({ kind }) => kind === 'unsafe-number' || kind === 'duplicate-key')
}
