/*
 * Gives a panel in a frame the colour scheme that the user chose for it. A browser gives a frame
 * only the system's preference, so this file changes every use of the preference: `matchMedia`,
 * style sheets and the `media` of elements. It runs before every script of the page, and does
 * nothing in a page that is not in a frame. The choice comes as the frame's name and, later, in
 * messages of the outer page.
 */
'use strict'
;(() => {
  if (window.parent === window) return
  const FEATURE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi
  const usesPreference = (media) => /prefers-color-scheme\s*:/i.test(media)
  /** Replaces the preference in a media query by a condition that is always true, or never. */
  const applyScheme = (media) =>
    scheme === 'system'
      ? media
      : media.replace(FEATURE, (_, preference) => (preference.toLowerCase() === scheme ? '(min-width: 0px)' : '(max-width: -1px)'))

  let scheme = 'system'
  const nameMatch = /^inspector-scheme:(light|dark)$/.exec(window.name)
  if (nameMatch) {
    scheme = nameMatch[1]
    window.name = ''
  }

  /* ---- matchMedia ---- */

  const plainMatch = window.matchMedia.bind(window)
  /** Lists with a listener are held; as in a browser, the others may be collected. */
  const observedLists = new Set()

  /** A media query list whose result also follows the user's choice. */
  class SchemeQueryList extends EventTarget {
    #inner = null
    #matches = false
    #onchange = null
    #changed = () => this.renew()
    constructor(media) {
      super()
      this.media = plainMatch(media).media
    }
    get matches() {
      return plainMatch(applyScheme(this.media)).matches
    }
    addEventListener(type, ...rest) {
      super.addEventListener(type, ...rest)
      if (type !== 'change' || observedLists.has(this)) return
      observedLists.add(this)
      this.#matches = this.matches
      this.#follow()
    }
    #follow() {
      this.#inner?.removeEventListener('change', this.#changed)
      this.#inner = plainMatch(applyScheme(this.media))
      this.#inner.addEventListener('change', this.#changed)
    }
    get onchange() {
      return this.#onchange
    }
    set onchange(listener) {
      if (this.#onchange) this.removeEventListener('change', this.#onchange)
      this.#onchange = typeof listener === 'function' ? listener : null
      if (this.#onchange) this.addEventListener('change', this.#onchange)
    }
    addListener(listener) {
      this.addEventListener('change', listener)
    }
    removeListener(listener) {
      this.removeEventListener('change', listener)
    }
    renew() {
      this.#follow()
      const { matches } = this
      if (matches === this.#matches) return
      this.#matches = matches
      this.dispatchEvent(new MediaQueryListEvent('change', { media: this.media, matches }))
    }
  }
  window.matchMedia = (media) => (usesPreference(String(media)) ? new SchemeQueryList(String(media)) : plainMatch(media))

  /* ---- Style sheets, and elements with a media of their own ---- */

  /** The original media of a rule, sheet or element, and the one that replaced it. */
  const originalMedia = new WeakMap()
  function updateMedia(holder, name) {
    const current = holder[name]
    const entry = originalMedia.get(holder)
    // The page may have set another one since.
    const original = entry?.applied === current ? entry.original : current
    if (!usesPreference(original ?? '')) return
    const next = applyScheme(original)
    if (next !== current) holder[name] = next
    originalMedia.set(holder, { original, applied: holder[name] })
  }
  function updateRules(rules) {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule) updateMedia(rule.media, 'mediaText')
      if (rule instanceof CSSImportRule) {
        updateMedia(rule.media, 'mediaText')
        if (rule.styleSheet) updateSheet(rule.styleSheet)
      } else if (rule.cssRules) updateRules(rule.cssRules)
    }
  }
  function updateSheet(sheet) {
    try {
      // The `media` of the element takes precedence over that of its sheet.
      if (!sheet.ownerNode) updateMedia(sheet.media, 'mediaText')
      updateRules(sheet.cssRules)
    } catch {
      /* The sheet is of another origin, or still loading: then a load event follows. */
    }
  }
  /** References are weak, so that elements that the page has removed can be collected. */
  let roots = [new WeakRef(document)]
  const allRoots = () => roots.flatMap((root) => root.deref() ?? [])
  function updateAll() {
    for (const root of allRoots()) {
      for (const element of root.querySelectorAll('link[media], style[media], source[media]')) updateMedia(element, 'media')
      for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) updateSheet(sheet)
    }
    updateRootScheme()
  }

  /**
   * The colour scheme that was set on the root element, for the parts that the browser draws
   * itself, and the element's original one. It is set only if the page supports both schemes.
   */
  let rootScheme = null
  function updateRootScheme() {
    const root = document.documentElement
    if (!root) return
    if (rootScheme !== null && root.style.colorScheme === rootScheme.applied) root.style.colorScheme = rootScheme.original
    rootScheme = null
    if (scheme === 'system') return
    const computed = getComputedStyle(root).colorScheme
    const supported = computed !== 'normal' ? computed : (document.querySelector('meta[name="color-scheme" i]')?.content ?? '')
    if (!/\blight\b/.test(supported) || !/\bdark\b/.test(supported)) return
    rootScheme = { original: root.style.colorScheme, applied: scheme }
    root.style.colorScheme = scheme
  }

  const WATCHED_SELECTOR = 'link, style, source, meta[name="color-scheme" i]'
  /** Tells whether a change of the document may have changed a use of the preference. */
  function isRelevant({ type, target, addedNodes }) {
    if (type === 'attributes') return target.matches(WATCHED_SELECTOR)
    if (target instanceof HTMLStyleElement || target.parentNode instanceof HTMLStyleElement) return true
    return [...addedNodes].some((node) => node instanceof Element && (node.matches(WATCHED_SELECTOR) || node.querySelector(WATCHED_SELECTOR) !== null))
  }
  const watch = (root) => {
    const observer = new MutationObserver((changes) => changes.some(isRelevant) && updateAll())
    observer.observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['media', 'href', 'rel', 'content'],
    })
    // A link has no rules before its sheet is loaded.
    root.addEventListener('load', (event) => event.target instanceof HTMLLinkElement && updateAll(), true)
  }
  let isWatching = false
  function start() {
    if (isWatching) return
    isWatching = true
    for (const root of allRoots()) watch(root)
  }
  const plainAttach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = plainAttach.call(this, options)
    if (roots.length % 1000 === 0) roots = roots.filter((reference) => reference.deref() !== undefined)
    roots.push(new WeakRef(root))
    if (isWatching) watch(root)
    return root
  }
  for (const name of ['insertRule', 'replaceSync', 'replace']) {
    const originalMethod = CSSStyleSheet.prototype[name]
    CSSStyleSheet.prototype[name] = function (...values) {
      const result = originalMethod.apply(this, values)
      if (isWatching) Promise.resolve(result).then(updateAll, () => undefined)
      return result
    }
  }

  /* ---- The user's choice ---- */

  function setScheme(next) {
    if (next === scheme) return
    scheme = next
    start()
    updateAll()
    for (const list of observedLists) list.renew()
  }
  addEventListener('message', (event) => {
    const next = event.source === window.parent ? event.data?.inspectorScheme : undefined
    if (!['system', 'light', 'dark'].includes(next)) return
    event.stopImmediatePropagation()
    setScheme(next)
  })
  if (scheme !== 'system') start()
})()
