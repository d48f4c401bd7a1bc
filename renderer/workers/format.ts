import { formatJson } from '../model/json/format.ts'
import { decodeUtf8 } from '../../shared/json/inspect.ts'
import type { FormatOptions, FormatResult } from './protocol.ts'

/** Formats the text of an answer for display: indented without parsing it into values, or exactly as sent; at most `maxChars` of it. */
export function formatText(source: ArrayBuffer | string, options: FormatOptions): FormatResult {
  const text = typeof source === 'string' ? source : decodeUtf8(new Uint8Array(source)).text
  if (options.pretty) return { ...formatJson(text, options.maxChars), sourceChars: text.length }
  return {
    text: text.slice(0, options.maxChars),
    cut: text.length > options.maxChars,
    sourceChars: text.length,
  }
}
