/*
 * Knows which call of the page the running code belongs to: the stack of the code that makes a
 * call, the calls that were made or got a response in the running task, and the call whose code
 * threw. The file is served before the others, in the same function. The page can change or imitate
 * anything here, so only texts beside a call depend on it.
 */

// eslint-disable-next-line @typescript-eslint/no-unused-vars -- load.js and host.js call it
const pageCalls = (() => {
  const MAX_FRAMES = 20
  const MAX_FRAME_CHARS = 300
  const MAX_STACK_CHARS = 4_000
  const MAX_CALLS_OF_TASK = 8
  const { origin } = location
  const OWN_FILE = `${origin}/__inspector/host.js:`
  const PlainError = Error

  /** Returns the lines of a stack that belong to the page, innermost first. */
  function listPageLines(stack) {
    const lines = []
    for (const line of String(stack ?? '').split('\n')) {
      if (line.length > MAX_FRAME_CHARS || line.includes(OWN_FILE) || !/:\d+\)?$/.test(line)) continue
      lines.push(line.replace(origin, '').trim())
    }
    return lines
  }

  function captureLines() {
    const { stackTraceLimit } = PlainError
    try {
      // Some frames are of this file, and are left out.
      PlainError.stackTraceLimit = MAX_FRAMES + 5
      return listPageLines(new PlainError().stack)
    } catch {
      return []
    } finally {
      PlainError.stackTraceLimit = stackTraceLimit
    }
  }

  /** Returns the lines in the form of a header; empty if there are none. */
  function encodeLines(lines) {
    const text = lines.join('\n')
    const encoded = encodeURI(text.toWellFormed?.() ?? text)
    return encoded.length <= MAX_STACK_CHARS ? encoded : encoded.slice(0, Math.max(0, encoded.lastIndexOf('%0A', MAX_STACK_CHARS)))
  }

  /* ---- The calls of the running task ---- */

  // No engine tells where a task ends, so it ends for this file with the next message that arrives.
  const channel = typeof MessageChannel === 'function' ? new MessageChannel() : null
  let currentCalls = new Map()
  let previousCalls = new Map()
  if (channel) {
    channel.port1.onmessage = () => {
      previousCalls = currentCalls
      currentCalls = new Map()
      if (previousCalls.size > 0) channel.port2.postMessage(null)
    }
  }
  /** The browser reports a rejection in a task after that of the call. */
  const listRecentCalls = () => [...new Map([...previousCalls, ...currentCalls]).values()]
  /** Notes that a call was made, or got its response, in the running task. */
  function touch(call) {
    if (currentCalls.size === 0 && previousCalls.size === 0) channel?.port2.postMessage(null)
    currentCalls.delete(call.id)
    currentCalls.set(call.id, call)
    if (currentCalls.size > MAX_CALLS_OF_TASK) currentCalls.delete(currentCalls.keys().next().value)
  }

  function settle(call) {
    call.isSettled = true
    touch(call)
  }

  const idPrefix = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  let count = 0
  const callsByResponse = new WeakMap()
  const callsByError = new WeakMap()

  /** Begins a call. Its members `id` and `stack` are the values of two headers. */
  function begin() {
    count += 1
    const lines = captureLines()
    const call = { id: `${idPrefix}-${count}`, lines, stack: encodeLines(lines), isSettled: false }
    touch(call)
    return call
  }

  /** Follows the promise of a call, or of reading its response, and returns one that ends alike. */
  const follow = (call, promise) =>
    promise.then(
      (value) => {
        settle(call)
        if (value instanceof Response) callsByResponse.set(value, call)
        return value
      },
      (error) => {
        settle(call)
        if (typeof error === 'object' && error !== null) callsByError.set(error, call)
        throw error
      },
    )

  for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
    const plainRead = Response.prototype[name]
    if (plainRead === undefined) continue
    Response.prototype[name] = function () {
      const call = callsByResponse.get(this)
      const reading = plainRead.apply(this, arguments)
      return call === undefined ? reading : follow(call, reading)
    }
  }

  const getFile = (line) => /(\/[^\s():]*)(?::\d+){2}\)?$/.exec(line)?.[1] ?? ''
  /** Returns `FILE function` of a line; null for a function without a name. */
  function toFunctionKey(line) {
    const [, name = ''] = /^at (?:async )?(\S+) \(/.exec(line) ?? /^(?:async\*)?([^@]*)@/.exec(line) ?? []
    const shortName = name.split('.').at(-1)
    const file = getFile(line)
    return file === '' || shortName === '' || shortName === '<anonymous>' ? null : `${file} ${shortName}`
  }

  /**
   * Finds the call that ended in this rejection: its own failure, or an error of code that had
   * waited for it. Null if nothing proves that.
   */
  function findRejected(reason) {
    const isObject = typeof reason === 'object' && reason !== null
    const rejected = isObject ? callsByError.get(reason) : undefined
    if (rejected) return rejected.id
    const reasonLines = isObject ? listPageLines(reason.stack) : []
    const keys = new Set(reasonLines.map(toFunctionKey).filter((key) => key !== null))
    const settledCalls = listRecentCalls().filter(({ isSettled }) => isSettled)
    const waiting = settledCalls.findLast(({ lines }) => lines.some((line) => keys.has(toFunctionKey(line))))
    return waiting?.id ?? null
  }

  const captureStack = () => encodeLines(captureLines())
  return { begin, captureStack, settle, follow, findRejected, listPageLines, listIds: () => [...currentCalls.keys()], listRecentIds: () => listRecentCalls().map(({ id }) => id) }
})()
