import { inject, type InjectionKey } from 'vue'
import { formatText, type FormatOptions, type FormattedText } from '../../model/json/json-formatter.ts'

/** Formats a text for display. The formatter of the page runs in a worker. */
type TextFormatter = (source: ArrayBuffer | string, options: FormatOptions) => Promise<FormattedText>

export const textFormatterKey: InjectionKey<TextFormatter> = Symbol('text formatter')

const formatSynchronously: TextFormatter = (source, options) =>
  Promise.resolve(formatText(typeof source === 'string' ? source : new TextDecoder().decode(source), options))

/** Returns the page's formatter. If none is provided, text is formatted synchronously. */
export function useTextFormatter(): TextFormatter {
  return inject(textFormatterKey, formatSynchronously)
}
