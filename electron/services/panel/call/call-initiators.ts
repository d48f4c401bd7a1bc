import type { CallFrame, CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import { classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import { BoundedMap } from '../../../core/protocol/rule-state.ts'
import type { SourceMaps } from '../source-maps.ts'
import type { ElementReport } from './element-report.ts'
import { API_PREFIX, type PageCall } from './page-call.ts'
import { WrapperLines } from './wrapper-lines.ts'
import { findReferencePosition } from './reference-position.ts'

const MAX_ADDRESSES = 5_000
const MAX_STACKS_PER_ADDRESS = 100
const MAX_WORKER_FILES = 200
const MAX_SEARCHED_FILES = 50
/** An element may wait for a connection, so its request may come this long after its address. */
const MATCH_MS = 10_000
/** The clocks of the page and of this program may differ by this much. */
const CLOCK_TOLERANCE_MS = 100
/** Time for the page's report to arrive before the file that names the address is searched. */
const SEARCH_DELAY_MS = 250

interface Options {
  /** Called with what became known of the initiator of a call. */
  readonly onInitiator: (exchangeId: string, change: Partial<CallInitiator>) => void
  /** Returns paths of files or folders whose code only passes on calls. */
  readonly getWrapperNames: () => readonly string[]
  readonly sourceMaps: Pick<SourceMaps, 'mapFrames' | 'findOriginalPosition' | 'readSource'>
}

/** A call of an element or a module. Times are in epoch milliseconds. */
interface ElementCall {
  readonly exchangeId: string
  readonly at: number
  readonly loader: NonNullable<PageCall['loader']>
  /** True if code of the page gave the address to an element, whichever code that was. */
  isMatched: boolean
  /** True if a file of the panel names the address, too. */
  isAmbiguous: boolean
}

/** Code that gave an address to an element, whose request has not come yet. */
interface AddressStack {
  readonly stack: string
  readonly frames: readonly CallFrame[] | null
  readonly at: number
  readonly page: string
}

interface AddressState {
  calls: ElementCall[]
  stacks: AddressStack[]
}

/**
 * Finds the code or the file that made the calls of one opening of a panel. The request of an
 * element carries no stack, so the page reports stacks with the addresses that elements got.
 */
export interface CallInitiators {
  recordCall(exchangeId: string, call: PageCall): void
  addReport(report: ElementReport): void
  addWorkerFile(path: string): void
  /** Called before the page, or a frame in it, is loaded. */
  beginDocument(): void
  beginPage(load: number, path: string): void
  /** Resolves when the original lines of the stacks that were reported are known. */
  settle(): Promise<void>
}

const toRoute = (method: string, path: string): string =>
  classifyRequest(method, path).endpoint?.id ?? `${method} ${path}`
const getPathname = (file: string): string => file.split('?', 1)[0] ?? ''
const isRecent = ({ at }: { readonly at: number }): boolean => Date.now() - at <= MATCH_MS
/** A browser does not always tell the file that named an address. */
const isOfPage = ({ loader }: Pick<ElementCall, 'loader'>, page: string): boolean =>
  loader.file === '' || getPathname(loader.file) === page

export function createCallInitiators({ onInitiator, sourceMaps, getWrapperNames }: Options): CallInitiators {
  let addresses = new BoundedMap<AddressState>(MAX_ADDRESSES)
  let texts = new Map<string, Promise<string | null>>()
  const workerFiles = new Set<string>()
  let currentPage = { load: 0, path: '' }
  const pendingFrames = new Set<Promise<void>>()
  const wrappers = new WrapperLines(getWrapperNames)

  /** @param route of a call that the code made itself; null for one of an element */
  function setMappedFrames(
    exchangeId: string,
    frames: readonly CallFrame[],
    route: string | null,
    isStillTrue = () => true,
  ): void {
    const mapping = sourceMaps.mapFrames(frames).then((mapped) => {
      const marked = wrappers.mark(mapped)
      const changedCalls = route === null ? new Map() : wrappers.observe(exchangeId, route, marked)
      for (const [id, changed] of changedCalls) onInitiator(id, { frames: wrappers.mark(changed) })
      if (isStillTrue() && !changedCalls.has(exchangeId)) onInitiator(exchangeId, { frames: marked })
      pendingFrames.delete(mapping)
    })
    pendingFrames.add(mapping)
  }

  /**
   * Assigns stacks to calls of one address. Where several places of the code gave it to elements,
   * or some of the calls have another cause, nothing tells which call is whose.
   */
  function matchCalls(elementCalls: readonly ElementCall[], stacks: readonly AddressStack[]): void {
    const [first] = stacks
    const isProvable = stacks.every(({ stack }) => stack === first?.stack) && stacks.length >= elementCalls.length
    for (const call of elementCalls) {
      call.isMatched = true
      if (!isProvable || !first?.frames || call.isAmbiguous) continue
      onInitiator(call.exchangeId, { frames: [...first.frames] })
      setMappedFrames(call.exchangeId, first.frames, null, () => !call.isAmbiguous)
    }
  }

  function recordElementCall(call: ElementCall, address: string): void {
    const earlier = addresses.get(address)
    const state = earlier ?? { calls: [], stacks: [] }
    addresses.set(address, state)
    // Only for the first request: the page may send a later one for any reason.
    if (!earlier) setTimeout(() => void setReference(call, address), SEARCH_DELAY_MS).unref()
    const stacks = state.stacks.filter((stack) => isRecent(stack) && isOfPage(call, stack.page))
    if (stacks.length === 0) state.calls = [...state.calls.filter(isRecent), call]
    else {
      state.stacks = []
      matchCalls([call], stacks)
    }
  }

  /** Sets the place in the file that names the address, unless code gave it to an element, too. */
  async function setReference(call: ElementCall, address: string): Promise<void> {
    const file = call.loader.file || currentPage.path
    const text = file.startsWith('/') ? await readText(file) : null
    const position = text === null ? null : findReferencePosition(text, file, address)
    if (position === null) return
    const original = await sourceMaps.findOriginalPosition(position)
    call.isAmbiguous = true
    if (call.isMatched) onInitiator(call.exchangeId, { frames: null })
    else onInitiator(call.exchangeId, { loader: { ...call.loader, position: { ...position, original } } })
  }

  function readText(file: string): Promise<string | null> {
    const cached = texts.get(file)
    if (cached) return cached
    if (texts.size >= MAX_SEARCHED_FILES) return Promise.resolve(null)
    const reading = sourceMaps
      .readSource({ file, line: 1, column: null }, false)
      .then((source) => source?.text ?? null)
      .catch(() => null)
    texts.set(file, reading)
    return reading
  }

  function addStacks(address: string, stacks: readonly AddressStack[]): void {
    const state = addresses.get(address) ?? { calls: [], stacks: [] }
    addresses.set(address, state)
    const firstAt = Math.min(...stacks.map(({ at }) => at)) - CLOCK_TOLERANCE_MS
    const page = stacks[0]?.page ?? ''
    const elementCalls = state.calls.filter((call) => isRecent(call) && call.at >= firstAt && isOfPage(call, page))
    if (elementCalls.length === 0)
      state.stacks = [...state.stacks.filter(isRecent), ...stacks].slice(-MAX_STACKS_PER_ADDRESS)
    else {
      state.calls = state.calls.filter((call) => !elementCalls.includes(call))
      matchCalls(elementCalls, stacks)
    }
  }

  return {
    recordCall(exchangeId, { frames, loader, method, path, pageId, referrer }) {
      const workerFile = getPathname(referrer)
      if (frames) setMappedFrames(exchangeId, frames, toRoute(method, path))
      else if (loader)
        recordElementCall(
          { exchangeId, at: Date.now(), loader, isMatched: false, isAmbiguous: false },
          API_PREFIX + path,
        )
      // Calls of the page's code have an id, and a worker's referrer is its own script.
      else if (pageId === null && workerFiles.has(workerFile))
        onInitiator(exchangeId, { loader: { destination: '', file: workerFile, position: null } })
    },
    addReport({ load, page, elements }) {
      if (load < currentPage.load) return
      const stacksByAddress = new Map<string, AddressStack[]>()
      for (const { address, ...stack } of elements) {
        const stacks = stacksByAddress.get(address)
        if (stacks) stacks.push({ ...stack, page })
        else stacksByAddress.set(address, [{ ...stack, page }])
      }
      for (const [address, stacks] of stacksByAddress) addStacks(address, stacks)
    },
    addWorkerFile(path) {
      if (workerFiles.size < MAX_WORKER_FILES) workerFiles.add(path)
    },
    beginDocument() {
      addresses = new BoundedMap(MAX_ADDRESSES)
      texts = new Map()
    },
    beginPage: (load, path) => void (currentPage = { load, path }),
    async settle() {
      await Promise.all(pendingFrames)
    },
  }
}
