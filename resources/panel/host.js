/*
 * What a panel's page finds inside a host, and what the inspector wants to know about the page. It runs before every script of the page,
 * in the page: the page can change or imitate anything here, so nothing depends on it. It grants no right that plain `fetch` lacks.
 * `hostApiValue` is `shared/panel/host-api.ts`: what the panel lab shows of a call is computed by the same lines.
 */
/* global createConsole, explainRefusals, formatArguments, hostApiValue */
'use strict'
;(() => {
  const origin = location.origin
  const { stringify } = JSON
  const plainFetch = window.fetch.bind(window)

  /* ---- host.api: the host's own helper, to the letter (spec, part 1) ---- */

  /** Performs `fetch('/bridge/v1' + path, opts)`, always parses JSON, never rejects: a failure is a value that carries `error`. */
  async function api(path, opts) {
    try {
      const headers = new Headers(opts?.headers)
      headers.set('x-inspector-via', 'host.api')
      const response = await plainFetch('/bridge/v1' + path, { ...opts, headers })
      return hostApiValue({ status: response.status, text: await response.text() })
    } catch (error) {
      if (opts?.signal?.aborted || error?.name === 'AbortError') return hostApiValue('aborted')
      return invalidRequest(path, opts) ?? hostApiValue('broken')
    }
  }

  /** What a request with options that none can have fails with: nothing was sent then. Null for any other. */
  function invalidRequest(path, opts) {
    try {
      new Request('/bridge/v1' + path, opts)
      return null
    } catch (error) {
      return { error: { code: 'REQUEST_INVALID', message: String(error?.message ?? error) } }
    }
  }
  window.host = Object.freeze({ ...window.host, api })

  /* ---- What happens in the page, as notes ---- */

  const MAX_WAITING = 1000
  /** Of one report, which the inspector does not read beyond 256 KB: six bytes for a character at most. */
  const MAX_REPORT_CHARS = 40_000
  const MAX_TEXT_CHARS = 20_000
  let waiting = []
  let lost = 0
  let timer = 0
  let busy = false
  let toldTitle = null

  /** The next notes of those that wait, in the size of a report. */
  function takeNotes() {
    let count = 0
    let chars = 0
    while (count < Math.min(200, waiting.length)) {
      chars += waiting[count].text.length + 1000
      if (count > 0 && chars > MAX_REPORT_CHARS) break
      count += 1
    }
    return waiting.splice(0, count)
  }
  function send() {
    timer = 0
    // A form or an image of this name stands in for it.
    const title = typeof document.title === 'string' ? document.title.slice(0, 1_000) || null : null
    if (busy || (waiting.length === 0 && lost === 0 && title === toldTitle)) return
    busy = true
    const body = stringify({ title, lost, notes: takeNotes() })
    toldTitle = title
    lost = 0
    plainFetch('/__inspector/notes', { method: 'POST', body })
      .catch(() => undefined)
      .then(() => {
        busy = false
        if (waiting.length > 0 || lost > 0) soon()
      })
  }
  const soon = () => {
    timer ||= setTimeout(send, 50)
  }
  function note(kind, level, text, where = {}, what = null) {
    if (waiting.length >= MAX_WAITING) {
      lost += 1
      return
    }
    const { file = '', line = null, column = null } = where
    const whole = String(text)
    const kept = whole.slice(0, MAX_TEXT_CHARS)
    waiting.push({ kind, level, what, text: kept, length: whole.length, file: String(file).slice(0, 500), line, column })
    soon()
  }
  const refused = (what, text, where) => note('refused', 'warning', text, where, what)

  /** Where a line of a stack points to; `skip` leaves out our own frames. */
  function placeIn(stack) {
    for (const line of String(stack ?? '').split('\n')) {
      const found = /((?:https?|[a-z-]+):\/\/[^\s()]+?):(\d+):(\d+)/.exec(line)
      if (found && !found[1].endsWith('/__inspector/host.js')) {
        return { file: found[1].replace(origin, ''), line: Number(found[2]), column: Number(found[3]) }
      }
    }
    return {}
  }
  const here = () => placeIn(new Error().stack)

  const shown = (value) => formatArguments([value])
  /** The stack without our own frames. */
  const stackOfCaller = () => {
    const lines = String(new Error().stack ?? '').split('\n')
    return lines.filter((line) => /:\d+\)?$/.test(line) && !line.includes('/__inspector/host.js')).join('\n')
  }
  createConsole((level, text) => note('console', level, text, here()), stackOfCaller)

  addEventListener(
    'error',
    (event) => {
      if (event instanceof ErrorEvent) {
        const { message, filename, lineno, colno, error } = event
        const text = error?.stack?.includes(error.message) ? error.stack : message
        note('error', 'error', text, { file: filename.replace(origin, ''), line: lineno || null, column: colno || null })
      } else if (event.target instanceof Element) {
        const address = event.target.src ?? event.target.href ?? ''
        note('error', 'warning', `<${event.target.localName}> could not load ${String(address).replace(origin, '')}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    note('error', 'error', `Unhandled rejection: ${shown(reason)}`, placeIn(reason?.stack))
  })

  explainRefusals({ origin, refused, here, shown })

  /** Whether the page around this frame is the panel's own: it must not be sent what it does not expect. */
  function isInOwnPage() {
    try {
      return window.parent[Symbol.for('inspector.load')] !== undefined
    } catch {
      return false
    }
  }

  // The panel lab asks from now on whether the page responds. Whoever frames the page may know that it runs, and learns nothing else.
  if (window.parent !== window && !isInOwnPage()) {
    addEventListener('message', (event) => {
      if (event.source !== window.parent || event.data?.inspectorPing === undefined) return
      event.stopImmediatePropagation()
      event.source.postMessage({ inspectorPong: event.data.inspectorPing }, event.origin)
    })
    window.parent.postMessage({ inspectorReady: true }, '*')
  }

  addEventListener('DOMContentLoaded', soon)
  addEventListener('load', () => {
    soon()
    const title = document.querySelector('title')
    if (title) new MutationObserver(soon).observe(title, { childList: true, characterData: true, subtree: true })
  })
  addEventListener('pagehide', () => {
    clearTimeout(timer)
    while (waiting.length > 0) {
      // A browser takes only so much of a page that is going away.
      if (!navigator.sendBeacon('/__inspector/notes', stringify({ lost, notes: takeNotes() }))) break
      lost = 0
    }
  })
})()
