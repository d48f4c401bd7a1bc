import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterAll } from 'vitest'

// Test files share a document, so components of one file would react to keys of the next. This hook
// runs after the unmounting ones, because hooks run from the last to the first.
afterAll(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  sessionStorage.clear()
})
disableAutoUnmount()
enableAutoUnmount(afterAll)

// A browser saves what a link with a file name leads to, but happy-dom would open it in the page.
document.addEventListener('click', (event) => {
  if (event.target instanceof HTMLAnchorElement && event.target.download !== '') event.preventDefault()
})
