// Runs inside the page, before its own code: without outside references, because it is sent there
// as source text.

/** Counters of the page's pending work and errors. */
export interface Watch {
  readonly errors: string[]
  /** Replies to the shell's own reads, by endpoint: reused while nothing is changed in them. */
  readonly kept: Map<string, Response>
  keeps: boolean
  pending: number
  changedAt: number
}

/** Runs before the page's own code: counts pending work, and records what goes wrong. */
export function watchPage(): void {
  const watch: Watch = { errors: [], kept: new Map(), keeps: false, pending: 0, changedAt: performance.now() }
  Reflect.set(window, 'mutationWatch', watch)
  interface Globals {
    readonly $pinia: { readonly _s: Map<string, unknown> }
    readonly $router: {
      readonly currentRoute: { readonly value: { readonly fullPath: string } }
      replace(to: string): Promise<unknown>
    }
  }
  const getGlobals = (): Globals => {
    const { appContext } = Reflect.get(document.querySelector('#app') ?? {}, '_vnode') as {
      appContext: { config: { globalProperties: Globals } }
    }
    return appContext.config.globalProperties
  }
  Reflect.set(window, 'mutationStore', (name: string): unknown => getGlobals().$pinia._s.get(name))
  // Through the router only: an address changing ten times a second costs the browser more than the
  // page.
  Reflect.set(window, 'mutationGo', (hash: string) => getGlobals().$router.replace(hash.slice(1)))
  history.replaceState = () => undefined
  history.pushState = () => undefined
  const describeThrown = (thrown: unknown): string =>
    thrown instanceof Error ? `${thrown.message}\n${thrown.stack ?? ''}` : String(thrown)
  addEventListener('error', (event) => watch.errors.push(`error: ${describeThrown(event.error ?? event.message)}`))
  addEventListener('unhandledrejection', (event) => watch.errors.push(`rejection: ${describeThrown(event.reason)}`))
  document.addEventListener('securitypolicyviolation', (event) =>
    watch.errors.push(`policy: ${event.violatedDirective}`),
  )
  console.error = (...parts: unknown[]) => watch.errors.push(`console: ${parts.map(describeThrown).join(' ')}`)

  const realFetch = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    if (String(input).startsWith('/ipc/events')) return realFetch(input, init)
    watch.pending += 1
    try {
      const requestText = watch.keeps && init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : ''
      const shared = /"endpoint":"(studySets\.list|decks\.list|capabilities\.get)"/.exec(requestText)?.[1]
      if (shared === undefined) return await realFetch(input, init)
      const keptResponse = watch.kept.get(shared) ?? (await realFetch(input, { ...init, signal: null }))
      watch.kept.set(shared, keptResponse)
      return keptResponse.clone()
    } finally {
      watch.pending -= 1
    }
  }
  const RealWorker = window.Worker
  window.Worker = class extends RealWorker {
    readonly #requests = new Set<number>()

    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      this.addEventListener(
        'message',
        ({ data }: MessageEvent<{ seq?: number; kind?: string; listChunk?: unknown }>) => {
          if (data?.seq === undefined || data.listChunk !== undefined || data.kind === 'head') return
          if (this.#requests.delete(data.seq)) watch.pending -= 1
        },
      )
    }

    override postMessage(message: unknown, options?: StructuredSerializeOptions | Transferable[]): void {
      const seq = (message as { seq?: unknown } | null)?.seq
      if (typeof seq === 'number') {
        this.#requests.add(seq)
        watch.pending += 1
      }
      super.postMessage(message, options as Transferable[])
    }

    override terminate(): void {
      watch.pending -= this.#requests.size
      this.#requests.clear()
      super.terminate()
    }
  }
  addEventListener('DOMContentLoaded', () => {
    // The page is laid out but not painted, because no test looks at pixels and painting costs as
    // much as the rest of a frame.
    document.documentElement.style.opacity = '0'
    const observer = new MutationObserver(() => (watch.changedAt = performance.now()))
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })
}
