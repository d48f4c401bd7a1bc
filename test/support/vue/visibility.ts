import { nextTick } from 'vue'
import { vi } from 'vitest'

/** As if somebody, or nobody, saw the page from now on. `vi.restoreAllMocks` takes it back. */
export async function setVisibility(state: DocumentVisibilityState): Promise<void> {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  document.dispatchEvent(new Event('visibilitychange'))
  await nextTick()
}
