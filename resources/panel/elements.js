/*
 * Reports the code of the page that gives an element the address of something on the bridge, which
 * the element then loads by a request without a stack. The file is served after `calls.js` and
 * `load.js`, in the same function. The page can change or imitate anything here, so only texts
 * beside a call depend on it.
 */
/* global pageCalls */
'use strict'
;(() => {
  const BRIDGE_PATH = '/bridge/v1/'
  /** A value without this part is no address on the bridge, and is not looked at any further. */
  const BRIDGE_MARK = 'bridge/v1/'
  const MAX_ELEMENTS = 1_000
  /** The inspector reads at most 256 KB of one report, and a character takes up to three bytes. */
  const MAX_REPORT_CHARS = 80_000
  /** Their addresses lead somewhere, or mark a base, but load nothing. */
  const LINKING_ELEMENTS = new Set(['a', 'area', 'base', 'form'])
  const ADDRESS_ATTRIBUTES = ['src', 'srcset', 'href', 'xlink:href', 'poster', 'data', 'style']
  const plainFetch = window.fetch.bind(window)
  const plainSetTimeout = window.setTimeout.bind(window)
  const { stringify } = JSON

  let elements = []
  /** Indices by stack, because many elements get their addresses in one place. */
  let stacks = new Map()
  let chars = 0

  function sendReport() {
    // A part of the elements could be taken for the whole, so all of too many are left out.
    const isComplete = elements.length <= MAX_ELEMENTS && chars <= MAX_REPORT_CHARS
    const report = { load: Number(window[Symbol.for('inspector.load')]), page: location.pathname, stacks: [...stacks.keys()], elements }
    if (isComplete) plainFetch('/__inspector/elements', { method: 'POST', body: stringify(report) }).catch(() => undefined)
    elements = []
    stacks = new Map()
    chars = 0
  }

  function noteAddress(text) {
    const { origin, pathname, search } = new URL(text, document.baseURI)
    if (origin !== location.origin || !pathname.startsWith(BRIDGE_PATH)) return
    if (elements.length === 0) plainSetTimeout(sendReport, 0)
    if (elements.length > MAX_ELEMENTS || chars > MAX_REPORT_CHARS) return
    const stack = pageCalls.captureStack()
    if (!stacks.has(stack)) {
      stacks.set(stack, stacks.size)
      chars += stack.length
    }
    const address = pathname + search
    chars += address.length + 60
    elements.push({ address, at: performance.timeOrigin + performance.now(), stack: stacks.get(stack) })
  }

  const noteSourceSet = (text) => {
    for (const word of text.split(/\s+/)) {
      // A size may be followed by the next address at once.
      if (word.includes(BRIDGE_MARK)) noteAddress(word.replace(/^[\d.]+[wxh],/, '').replace(/,+$/, ''))
    }
  }
  const noteStyle = (text) => {
    for (const [, address] of text.matchAll(/url\(\s*["']?([^"')]+)/gi)) if (address.includes(BRIDGE_MARK)) noteAddress(address.trim())
  }
  function noteAttribute(element, name, text) {
    if (!ADDRESS_ATTRIBUTES.includes(name) || LINKING_ELEMENTS.has(element.localName)) return
    if (name === 'style') noteStyle(text)
    else if (name === 'srcset') noteSourceSet(text)
    else noteAddress(text)
  }

  const plainCreateElement = document.createElement.bind(document)
  const setMarkup = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML').set
  const selector = ADDRESS_ATTRIBUTES.map((name) => `[${name.replace(':', '\\:')}]`).join()
  function noteMarkup(text) {
    // The content of a template loads nothing.
    const template = plainCreateElement('template')
    setMarkup.call(template, text)
    for (const element of template.content.querySelectorAll(selector)) {
      for (const name of ADDRESS_ATTRIBUTES) {
        const value = element.getAttribute(name)
        if (value?.includes(BRIDGE_MARK)) noteAttribute(element, name, value)
      }
    }
  }

  /** Values of other types are left alone, because reading them could run code of the page. */
  function noteValue(note, value) {
    try {
      const text = value instanceof URL ? value.href : value
      if (typeof text === 'string' && text.includes(BRIDGE_MARK)) note(text)
    } catch {
      /* The page goes on as without this file. */
    }
  }

  /** Watches a property of elements; the page can still read, set and replace it. */
  function watchProperty(prototype, name, note) {
    const property = prototype && Object.getOwnPropertyDescriptor(prototype, name)
    if (!property?.set || !property.configurable) return
    const { set: plainSet } = property
    const { set } = {
      set(value) {
        noteValue(note, value)
        return plainSet.call(this, value)
      },
    }
    Object.defineProperty(prototype, name, { ...property, set })
  }

  /** Watches the argument of a method with this index; `note` also gets the argument before. */
  function watchMethod(prototype, name, index, note) {
    const plainMethod = prototype?.[name]
    if (typeof plainMethod !== 'function') return
    const watched = {
      [name]() {
        const value = arguments[index]
        if (typeof value === 'string' && value.includes(BRIDGE_MARK)) noteValue((text) => note(text, this, arguments[index - 1]), value)
        return plainMethod.apply(this, arguments)
      },
    }
    prototype[name] = watched[name]
  }

  const addressProperties = {
    Image: ['src'],
    Source: ['src'],
    Script: ['src'],
    Link: ['href'],
    Media: ['src'],
    Video: ['poster'],
    Track: ['src'],
    IFrame: ['src'],
    Embed: ['src'],
    Object: ['data'],
    Input: ['src'],
  }
  for (const [kind, names] of Object.entries(addressProperties)) {
    for (const name of names) watchProperty(window[`HTML${kind}Element`]?.prototype, name, noteAddress)
  }
  for (const kind of ['Image', 'Source']) watchProperty(window[`HTML${kind}Element`]?.prototype, 'srcset', noteSourceSet)
  // Engines differ in which of these has the properties; in some, none has that of a background.
  for (const kind of ['CSSStyleDeclaration', 'CSSStyleProperties', 'CSS2Properties']) {
    for (const name of ['background', 'backgroundImage', 'cssText']) watchProperty(window[kind]?.prototype, name, noteStyle)
  }
  for (const name of ['innerHTML', 'outerHTML']) watchProperty(Element.prototype, name, noteMarkup)
  watchProperty(window.ShadowRoot?.prototype, 'innerHTML', noteMarkup)
  watchMethod(window.CSSStyleDeclaration?.prototype, 'setProperty', 1, noteStyle)
  watchMethod(Element.prototype, 'insertAdjacentHTML', 1, noteMarkup)
  const noteNamedAttribute = (text, element, name) => noteAttribute(element, String(name).toLowerCase(), text)
  watchMethod(Element.prototype, 'setAttribute', 1, noteNamedAttribute)
  watchMethod(Element.prototype, 'setAttributeNS', 2, noteNamedAttribute)
})()
