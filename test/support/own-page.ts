import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterAll } from 'vitest'

// Files share a document, and what one of them mounted would answer the keys of the next.
disableAutoUnmount()
enableAutoUnmount(afterAll)
afterAll(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  sessionStorage.clear()
})
