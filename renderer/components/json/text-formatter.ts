import { inject, type InjectionKey } from 'vue'
import { formatJson } from '../../model/json/json-formatter.ts'

export interface FormattedText {
  readonly text: string
  /** True if the source is longer than `text`. */
  readonly isTruncated: boolean
  readonly sourceChars: number
}

/**
 * Formats at most `maxChars` of a text for display, indented or as sent. The formatter of the page
 * runs in a worker.
 */
type TextFormatter = (
  source: ArrayBuffer | string,
  options: { isIndented: boolean; maxChars: number },
) => Promise<FormattedText>

export const textFormatterKey: InjectionKey<TextFormatter> = Symbol('text formatter')

const formatSynchronously: TextFormatter = (source, { isIndented, maxChars }) => {
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
  const result = isIndented
    ? formatJson(text, maxChars)
    : { text: text.slice(0, maxChars), isTruncated: text.length > maxChars }
  return Promise.resolve({ ...result, sourceChars: text.length })
}

/** Returns the page's formatter. If none is provided, text is formatted synchronously. */
export function useTextFormatter(): TextFormatter {
  return inject(textFormatterKey, formatSynchronously)
}
