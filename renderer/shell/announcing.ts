import { computed, onScopeDispose, ref, watch, type Ref } from 'vue'
import { useAnnounced } from '../stores/announced.ts'
import type { Message } from './messages.ts'

/** How long a message covers the place before it is only in the history. */
const READING_MS = { info: 8_000, warning: 12_000 } as const

/** The messages to show over the place: each leaves by itself, except errors, and none while `hold` is on (pointer or focus is on them). */
export function useAnnouncing(messages: Ref<readonly Message[]>) {
  const announced = useAnnounced()
  const held = ref(false)
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const shown = computed(() => messages.value.filter(({ id }) => !announced.past.has(id)))

  function drop(id: string): void {
    clearTimeout(timers.get(id))
    timers.delete(id)
  }

  function begin({ id, level, dismissible }: Message): void {
    if (timers.has(id) || held.value || !dismissible || level === 'error') return
    const leave = (): void => {
      drop(id)
      announced.leave(id)
    }
    timers.set(id, setTimeout(leave, READING_MS[level]))
  }

  function follow(): void {
    const ids = new Set(held.value ? [] : shown.value.map(({ id }) => id))
    for (const id of [...timers.keys()]) if (!ids.has(id)) drop(id)
    shown.value.forEach(begin)
  }

  watch([shown, held], follow, { immediate: true })
  onScopeDispose(() => [...timers.keys()].forEach(drop))

  return { shown, hold: (on: boolean) => void (held.value = on) }
}
