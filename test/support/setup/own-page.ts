import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterAll } from 'vitest'

// Files share a document, and what one of them mounted would answer the keys of the next. Hooks run
// from the last to the first: what is emptied here is what unmounting leaves.
afterAll(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  sessionStorage.clear()
})
disableAutoUnmount()
enableAutoUnmount(afterAll)
