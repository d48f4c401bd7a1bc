/*
 * Light or dark for a panel in a frame, as its viewer chose. A browser tells a frame only what the system prefers, so whatever asks for
 * the preference is answered here: `matchMedia`, style sheets and the `media` of elements. It runs before every script of the page; a page
 * that is not in a frame is left alone. The choice comes as the frame's name and, later, as a message of the page around it.
 */
'use strict'
;(() => {
  if (window.parent === window) return
  const FEATURE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi
  const asks = (media) => /prefers-color-scheme\s*:/i.test(media)
  /** The same query with the preference decided: what holds always, or never. */
  const decided = (media) =>
    scheme === 'system'
      ? media
      : media.replace(FEATURE, (_, wanted) => (wanted.toLowerCase() === scheme ? '(min-width: 0px)' : '(max-width: -1px)'))

  let scheme = 'system'
  const named = /^inspector-scheme:(light|dark)$/.exec(window.name)
  if (named) {
    scheme = named[1]
    window.name = ''
  }

  /* ---- matchMedia ---- */

  const plainMatch = window.matchMedia.bind(window)
  /** Those that somebody listens to; as in a browser, the others may go. */
  const heard = new Set()

  /** A list whose answer follows the choice as well. */
  class Preference extends EventTarget {
    #inner = null
    #matches = false
    #onchange = null
    #changed = () => this.renew()
    constructor(media) {
      super()
      this.media = plainMatch(media).media
    }
    get matches() {
      return plainMatch(decided(this.media)).matches
    }
    addEventListener(type, ...rest) {
      super.addEventListener(type, ...rest)
      if (type !== 'change' || heard.has(this)) return
      heard.add(this)
      this.#matches = this.matches
      this.#follow()
    }
    #follow() {
      this.#inner?.removeEventListener('change', this.#changed)
      this.#inner = plainMatch(decided(this.media))
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
  window.matchMedia = (media) => (asks(String(media)) ? new Preference(String(media)) : plainMatch(media))

  /* ---- Style sheets, and elements with a media of their own ---- */

  /** What a rule, sheet or element said before it was decided. */
  const said = new WeakMap()
  function decide(holder, name) {
    const now = holder[name]
    const known = said.get(holder)
    // The page may have set another one since.
    const own = known?.decided === now ? known.own : now
    if (!asks(own ?? '')) return
    const next = decided(own)
    if (next !== now) holder[name] = next
    said.set(holder, { own, decided: holder[name] })
  }
  function decideRules(rules) {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule) decide(rule.media, 'mediaText')
      if (rule instanceof CSSImportRule) {
        decide(rule.media, 'mediaText')
        if (rule.styleSheet) decideSheet(rule.styleSheet)
      } else if (rule.cssRules) decideRules(rule.cssRules)
    }
  }
  function decideSheet(sheet) {
    try {
      // The element's attribute decides over its sheet.
      if (!sheet.ownerNode) decide(sheet.media, 'mediaText')
      decideRules(sheet.cssRules)
    } catch {
      /* Of another origin, or still being loaded: an event follows. */
    }
  }
  /** Held weakly: an element that the page has let go of must not stay because of this. */
  let roots = [new WeakRef(document)]
  const allRoots = () => roots.flatMap((one) => one.deref() ?? [])
  function decideAll() {
    for (const root of allRoots()) {
      for (const element of root.querySelectorAll('link[media], style[media], source[media]')) decide(element, 'media')
      for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) decideSheet(sheet)
    }
    decideCanvas()
  }

  /** What the browser draws itself: only where the page says that it can be either. `own` is what the element said by itself. */
  let set = null
  function decideCanvas() {
    const root = document.documentElement
    if (!root) return
    if (set !== null && root.style.colorScheme === set.to) root.style.colorScheme = set.own
    set = null
    if (scheme === 'system') return
    const computed = getComputedStyle(root).colorScheme
    const can = computed !== 'normal' ? computed : (document.querySelector('meta[name="color-scheme" i]')?.content ?? '')
    if (!/\blight\b/.test(can) || !/\bdark\b/.test(can)) return
    set = { own: root.style.colorScheme, to: scheme }
    root.style.colorScheme = scheme
  }

  const OURS = 'link, style, source, meta[name="color-scheme" i]'
  /** Whether a change of the document may have changed what is asked. */
  function concerns({ type, target, addedNodes }) {
    if (type === 'attributes') return target.matches(OURS)
    if (target instanceof HTMLStyleElement || target.parentNode instanceof HTMLStyleElement) return true
    return [...addedNodes].some((node) => node instanceof Element && (node.matches(OURS) || node.querySelector(OURS) !== null))
  }
  const watch = (root) => {
    const observer = new MutationObserver((changes) => changes.some(concerns) && decideAll())
    observer.observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['media', 'href', 'rel', 'content'],
    })
    // A link has no rules before it is loaded.
    root.addEventListener('load', (event) => event.target instanceof HTMLLinkElement && decideAll(), true)
  }
  let watching = false
  function start() {
    if (watching) return
    watching = true
    for (const root of allRoots()) watch(root)
  }
  const plainAttach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = plainAttach.call(this, options)
    if (roots.length % 1000 === 0) roots = roots.filter((one) => one.deref() !== undefined)
    roots.push(new WeakRef(root))
    if (watching) watch(root)
    return root
  }
  for (const name of ['insertRule', 'replaceSync', 'replace']) {
    const plain = CSSStyleSheet.prototype[name]
    CSSStyleSheet.prototype[name] = function (...given) {
      const done = plain.apply(this, given)
      if (watching) Promise.resolve(done).then(decideAll, () => undefined)
      return done
    }
  }

  /* ---- The choice ---- */

  function choose(next) {
    if (next === scheme) return
    scheme = next
    start()
    decideAll()
    for (const list of heard) list.renew()
  }
  addEventListener('message', (event) => {
    const next = event.source === window.parent ? event.data?.inspectorScheme : undefined
    if (!['system', 'light', 'dark'].includes(next)) return
    event.stopImmediatePropagation()
    choose(next)
  })
  if (scheme !== 'system') start()
})()
