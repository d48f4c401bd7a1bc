import type { App, WebContents } from 'electron'
import { isHome } from './origin.ts'
import type { Note } from './note.ts'

interface Attempt {
  readonly url: string
  readonly isMainFrame?: boolean
  preventDefault(): void
}

/**
 * The page never leaves its origin: links, forms, dropped files, redirects and frames lead nowhere, and no page can open a
 * window. The one exception is the page itself, which may be loaded again in its own main frame.
 *
 * On every web contents that is ever made, not on our window alone: one that some later code makes must not start free.
 */
export function denyNavigation(app: Pick<App, 'on'>, note: Note): void {
  app.on('web-contents-created', (_event, contents) => lockDown(contents, note))
}

function lockDown(contents: WebContents, note: Note): void {
  const stop = (where: string) => (attempt: Attempt) => {
    if (where !== 'redirect' && attempt.isMainFrame !== false && isHome(attempt.url)) return
    attempt.preventDefault()
    note('navigation refused', { where, scheme: schemeOf(attempt.url) })
  }
  contents.on('will-navigate', stop('main frame'))
  contents.on('will-frame-navigate', stop('frame'))
  contents.on('will-redirect', stop('redirect'))
  contents.setWindowOpenHandler(({ url }) => {
    note('window refused', { scheme: schemeOf(url) })
    return { action: 'deny' }
  })
  // webviewTag is off as well; this holds should somebody turn it on.
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
    note('webview refused', {})
  })
}

/** The scheme alone: the rest of a foreign address may hold a secret and does not belong into a log. */
const schemeOf = (url: string): string => /^[a-z][a-z0-9+.-]{0,30}:/i.exec(url)?.[0] ?? 'none'
