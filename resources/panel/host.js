/*
 * Provides `host.api` like a real host, and reports the page's events to the inspector. It runs in
 * the page, before every script of the page, which can change or imitate anything here, so nothing
 * depends on it. It grants no right that plain `fetch` lacks. `hostApiValue` comes from
 * `electron/core/panel/host-api.ts`, with which the panel lab computes the value of a call too.
 */
/* global createConsole, explainRefusals, formatArguments, hostApiValue, pageCalls */
'use strict'
;(() => {
  const origin = location.origin
  const { stringify } = JSON
  const plainFetch = window.fetch.bind(window)

  /* ---- host.api, exactly as the spec describes it (part 1) ---- */

  /**
   * Performs `fetch('/bridge/v1' + path, opts)` and always parses JSON. It never rejects: a failure
   * is a value with `error`.
   */
  async function api(path, opts) {
    try {
      const headers = new Headers(opts?.headers)
      headers.set('x-inspector-via', 'host.api')
      const response = await plainFetch('/bridge/v1' + path, { ...opts, headers })
      return hostApiValue({ status: response.status, text: await response.text() })
    } catch (error) {
      if (opts?.signal?.aborted || error?.name === 'AbortError') return hostApiValue('aborted')
      return createInvalidRequestFailure(path, opts) ?? hostApiValue('broken')
    }
  }

  /**
   * Returns the failure of a request whose options are invalid, so that nothing was sent; otherwise
   * null.
   */
  function createInvalidRequestFailure(path, opts) {
    try {
      new Request('/bridge/v1' + path, opts)
      return null
    } catch (error) {
      return { error: { code: 'REQUEST_INVALID', message: String(error?.message ?? error) } }
    }
  }
  window.host = Object.freeze({ ...window.host, api })

  /* ---- Notes about events of the page ---- */

  const MAX_WAITING_NOTES = 1000
  /** A character takes at most six bytes, and the inspector reads at most 256 KB of one report. */
  const MAX_REPORT_CHARS = 40_000
  const MAX_TEXT_CHARS = 20_000
  let waitingNotes = []
  let lostCount = 0
  let timer = 0
  let isSending = false
  let reportedTitle = null

  /** Removes the next waitingNotes notes that fit into one report, and returns them. */
  function takeNotes() {
    let count = 0
    let chars = 0
    while (count < Math.min(200, waitingNotes.length)) {
      chars += waitingNotes[count].text.length + 1000
      if (count > 0 && chars > MAX_REPORT_CHARS) break
      count += 1
    }
    return waitingNotes.splice(0, count)
  }
  function sendNotes() {
    timer = 0
    // A form or an image named `title` would replace the page's title here.
    const title = typeof document.title === 'string' ? document.title.slice(0, 1_000) || null : null
    if (isSending || (waitingNotes.length === 0 && lostCount === 0 && title === reportedTitle)) return
    isSending = true
    const body = stringify({ title, lost: lostCount, notes: takeNotes() })
    reportedTitle = title
    lostCount = 0
    plainFetch('/__inspector/notes', { method: 'POST', body })
      .catch(() => undefined)
      .then(() => {
        isSending = false
        if (waitingNotes.length > 0 || lostCount > 0) scheduleSend()
      })
  }
  const scheduleSend = () => {
    timer ||= setTimeout(sendNotes, 50)
  }
  function addNote(kind, level, text, where = {}, what = null, callsOfNote = { calls: pageCalls.listIds(), rejectedCall: null }) {
    if (waitingNotes.length >= MAX_WAITING_NOTES) {
      lostCount += 1
      return
    }
    const { file = '', line = null, column = null } = where
    const fullText = String(text)
    const reportedText = fullText.slice(0, MAX_TEXT_CHARS)
    const at = performance.timeOrigin + performance.now()
    const position = { file: String(file).slice(0, 500), line, column }
    waitingNotes.push({ at, kind, level, what, text: reportedText, length: fullText.length, ...position, ...callsOfNote })
    scheduleSend()
  }
  const reportRefusal = (what, text, where) => addNote('refused', 'warning', text, where, what)

  /**
   * Returns the location of the first frame of a stack that is not in this file; empty if there is
   * none.
   */
  function findLocation(stack) {
    for (const line of String(stack ?? '').split('\n')) {
      const match = /((?:https?|[a-z-]+):\/\/[^\s()]+?):(\d+):(\d+)/.exec(line)
      if (match && !match[1].endsWith('/__inspector/host.js')) {
        return { file: match[1].replace(origin, ''), line: Number(match[2]), column: Number(match[3]) }
      }
    }
    return {}
  }
  const getCallerLocation = () => findLocation(new Error().stack)

  const formatForReport = (value) => formatArguments([value])
  /** Returns the stack without the frames of this file. */
  const getCallerStack = () => {
    const lines = String(new Error().stack ?? '').split('\n')
    return lines.filter((line) => /:\d+\)?$/.test(line) && !line.includes('/__inspector/host.js')).join('\n')
  }
  createConsole((level, text) => addNote('console', level, text, getCallerLocation()), getCallerStack)

  addEventListener(
    'error',
    (event) => {
      if (event instanceof ErrorEvent) {
        const { message, filename, lineno, colno, error } = event
        const text = error?.stack?.includes(error.message) ? error.stack : message
        addNote('error', 'error', text, { file: filename.replace(origin, ''), line: lineno || null, column: colno || null })
      } else if (event.target instanceof Element) {
        const address = event.target.src ?? event.target.href ?? ''
        addNote('error', 'warning', `<${event.target.localName}> could not load ${String(address).replace(origin, '')}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    const text = `Unhandled rejection: ${formatForReport(reason)}`
    const callsOfNote = { calls: pageCalls.listRecentIds(), rejectedCall: pageCalls.findRejected(reason) }
    addNote('error', 'error', text, findLocation(reason?.stack), null, callsOfNote)
  })

  /* ---- Clicks, which are the cause of much of the rest ---- */

  const CLICKED_SELECTOR = 'a, button, input, label, select, summary, textarea, [role]'
  addEventListener(
    'click',
    ({ target, isTrusted }) => {
      if (!isTrusted || !(target instanceof Element)) return
      const element = target.closest(CLICKED_SELECTOR) ?? target
      const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
      addNote('click', 'info', `<${element.localName}> ${name.slice(0, 500).replace(/\s+/g, ' ').trim().slice(0, 100)}`.trim())
    },
    true,
  )

  explainRefusals({ origin, reportRefusal, getCallerLocation, formatForReport })

  /**
   * Tells whether the panel's own page frames this one; it must not get messages that it does not
   * expect.
   */
  function isInOwnPage() {
    try {
      return window.parent[Symbol.for('inspector.load')] !== undefined
    } catch {
      return false
    }
  }

  // From now on the panel lab asks whether the page responds. Another page that frames this one
  // learns only that it runs.
  if (window.parent !== window && !isInOwnPage()) {
    const focus = keepFocus()
    addEventListener('message', (event) => {
      if (event.source !== window.parent) return
      const { inspectorPing, inspectorFocus } = event.data ?? {}
      if (inspectorPing === undefined && inspectorFocus === undefined) return
      event.stopImmediatePropagation()
      if (inspectorFocus) focus.restore()
      else event.source.postMessage({ inspectorPong: inspectorPing }, event.origin)
    })
    addEventListener('keydown', sendUnusedKey)
    window.parent.postMessage({ inspectorReady: true }, '*')
  }

  /**
   * Keeps the page from taking the focus out of the panel lab while the user types there, and
   * remembers which element had it.
   */
  function keepFocus() {
    const plainFocus = HTMLElement.prototype.focus
    let lastFocused = null
    const setLastFocused = (element) => {
      lastFocused = element
    }
    const replaceFocus = (prototype) => {
      const originalFocus = prototype.focus
      prototype.focus = function focus(...values) {
        if (document.hasFocus()) return originalFocus.apply(this, values)
        setLastFocused(this)
      }
    }
    for (const { prototype } of [HTMLElement, SVGElement]) replaceFocus(prototype)
    window.focus = () => undefined
    addEventListener('focusin', ({ target }) => setLastFocused(target), true)
    // A press beside every field leaves the focus with the page as a whole.
    addEventListener('pointerdown', () => setLastFocused(null), true)
    return { restore: () => lastFocused?.isConnected && plainFocus.call(lastFocused) }
  }

  const EDITABLE_SELECTOR = 'input, textarea, select, [contenteditable], [role="textbox"]'
  /** Gives keys that the page does not use to the panel lab, which has shortcuts; but no typed text. */
  function sendUnusedKey(event) {
    if (!event.isTrusted || event.isComposing || event.keyCode === 229) return
    const { key, code, ctrlKey, altKey, metaKey, shiftKey } = event
    const isCommand = (ctrlKey || altKey || metaKey) && !event.getModifierState('AltGraph')
    const isFunctionKey = /^(?:F\d+|Escape)$/.test(key)
    const [target] = event.composedPath()
    if (!isCommand && !isFunctionKey && target instanceof Element && target.closest(EDITABLE_SELECTOR)) return
    // The page's own listeners come first.
    setTimeout(() => {
      if (event.defaultPrevented) return
      window.parent.postMessage({ inspectorKey: { key, code, ctrlKey, altKey, metaKey, shiftKey } }, '*')
    })
  }

  addEventListener('DOMContentLoaded', scheduleSend)
  addEventListener('load', () => {
    scheduleSend()
    const title = document.querySelector('title')
    if (title) new MutationObserver(scheduleSend).observe(title, { childList: true, characterData: true, subtree: true })
  })
  addEventListener('pagehide', () => {
    clearTimeout(timer)
    while (waitingNotes.length > 0) {
      // A browser accepts a limited amount of data from a page that is closing.
      if (!navigator.sendBeacon('/__inspector/notes', stringify({ lost: lostCount, notes: takeNotes() }))) break
      lostCount = 0
    }
  })
})()
