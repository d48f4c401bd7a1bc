import { onScopeDispose, watch } from 'vue'

/**
 * Retains ids while the calling scope lives. When the list changes, ids that stay in it are not
 * released in between.
 * @param retain returns the function that releases the id
 */
export function retainInScope(ids: () => readonly string[], retain: (id: string) => () => void): void {
  let releases = new Map<string, () => void>()
  watch(
    () => ids().join('\n'),
    () => {
      const next = new Map<string, () => void>()
      for (const id of ids()) if (id !== '') next.set(id, next.get(id) ?? releases.get(id) ?? retain(id))
      for (const [id, release] of releases) if (!next.has(id)) release()
      releases = next
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    for (const release of releases.values()) release()
  })
}
