/*
 * Says with each call of the page which load of the page it comes from (`pageLoad`, filled in when this is served), so that the inspector
 * keeps a reload and a second tab apart. It runs before every script of the page, in the page, which can change or imitate it: nothing
 * depends on it but lists of calls and findings.
 */
/* global pageLoad */
'use strict'
;(() => {
  const HEADER = 'x-inspector-load'
  const plainFetch = window.fetch.bind(window)
  const plainOpen = XMLHttpRequest.prototype.open

  const isCall = (url) => {
    try {
      const { origin, pathname } = new URL(url, document.baseURI)
      return origin === location.origin && pathname.startsWith('/bridge/v1/')
    } catch {
      return false
    }
  }

  window.fetch = function fetch(input, init) {
    const isRequest = input instanceof Request
    if (!isCall(isRequest ? input.url : input)) return plainFetch(input, init)
    try {
      const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined))
      headers.set(HEADER, pageLoad)
      return plainFetch(input, { ...init, headers })
    } catch {
      return plainFetch(input, init)
    }
  }

  XMLHttpRequest.prototype.open = function open(method, url, ...rest) {
    plainOpen.call(this, method, url, ...rest)
    if (isCall(url)) this.setRequestHeader(HEADER, pageLoad)
  }
})()
