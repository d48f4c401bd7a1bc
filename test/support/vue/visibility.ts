import { nextTick } from 'vue'
import { vi } from 'vitest'

/** Makes the page visible or hidden from now on; `vi.restoreAllMocks` undoes it. */
export async function setVisibility(state: DocumentVisibilityState): Promise<void> {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  document.dispatchEvent(new Event('visibilitychange'))
  await nextTick()
}
