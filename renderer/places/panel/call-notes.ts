import { computed, type ComputedRef } from 'vue'
import type { PanelNote } from '../../../shared/panel/panel.ts'
import { usePanel } from '../../stores/panel.ts'

/** Output and errors while the code around a call ran. */
export interface CallNotes {
  /** The unhandled rejection in which the call ended; null if there is none. */
  readonly rejection: PanelNote | null
  /** All other notes of the same time, oldest first. */
  readonly others: readonly PanelNote[]
}

const NO_NOTES: CallNotes = { rejection: null, others: [] }

export function useCallNotes(): ComputedRef<(pageId: string | null) => CallNotes> {
  const panel = usePanel()
  const notesByCall = computed(() => {
    const byCall = new Map<string, { rejection: PanelNote | null; others: PanelNote[] }>()
    for (const note of panel.notes) {
      for (const id of new Set([...note.calls, ...(note.rejectedCall === null ? [] : [note.rejectedCall])])) {
        const entry = byCall.get(id) ?? { rejection: null, others: [] }
        if (note.rejectedCall === id) entry.rejection ??= note
        else if (note.rejectedCall === null) entry.others.push(note)
        byCall.set(id, entry)
      }
    }
    return byCall
  })
  return computed(() => {
    const byCall = notesByCall.value
    return (pageId) => (pageId === null ? NO_NOTES : (byCall.get(pageId) ?? NO_NOTES))
  })
}
