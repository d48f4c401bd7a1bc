import { watch } from 'vue'
import { elementText } from '../../../shared/json/elements.ts'

/** The selected part or band, as the inspector shows it. */
export interface Entry {
  readonly title: string
  /** Its exact JSON text. */
  readonly source: string
}

/** The entry at an index of a card's member; null if its text is not available. */
export function entryOf(source: string | null, member: 'parts' | 'bands', at: number, title: string): Entry | null {
  const text = source === null ? null : elementText(source, member, at)
  return text === null ? null : { title, source: text }
}

/** Tells the place what is selected in a view of the card, and clears it when that view goes. */
export function useEntry(entry: () => Entry | null, tell: (entry: Entry | null) => void): void {
  watch(entry, (now) => tell(now), { immediate: true })
}
