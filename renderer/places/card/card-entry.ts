import { watch } from 'vue'
import { getElementText } from '../../../shared/json/list-elements.ts'

/** The selected part or band, as the inspector shows it. */
export interface CardEntry {
  readonly title: string
  /** Its exact JSON text. */
  readonly source: string
}

/** The entry at an index of a card's member; null if its text is not available. */
export function findCardEntry(
  source: string | null,
  member: 'parts' | 'bands',
  at: number,
  title: string,
): CardEntry | null {
  const text = source === null ? null : getElementText(source, member, at)
  return text === null ? null : { title, source: text }
}

/** Tells the place what is selected in a view of the card, and clears it when that view goes. */
export function useSelectedEntry(entry: () => CardEntry | null, tell: (entry: CardEntry | null) => void): void {
  watch(entry, (now) => tell(now), { immediate: true })
}
