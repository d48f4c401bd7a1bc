import { watch } from 'vue'
import { elementText } from '../../../shared/tree/slice.ts'

/** One part or band that is selected: what the inspector shows of it. */
export interface Entry {
  readonly title: string
  /** Its exact JSON text. */
  readonly source: string
}

/** The entry at a place of a member of a card; null where its text is not to be had. */
export function entryOf(source: string | null, member: 'parts' | 'bands', at: number, title: string): Entry | null {
  const text = source === null ? null : elementText(source, member, at)
  return text === null ? null : { title, source: text }
}

/** Tells the place what is selected in a side of the card, and that nothing is when that side goes. */
export function useEntry(entry: () => Entry | null, tell: (entry: Entry | null) => void): void {
  watch(entry, (now) => tell(now), { immediate: true })
}
