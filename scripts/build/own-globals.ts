import type { Plugin } from 'vite'

const MODULE_ID = 'virtual:own-globals'

/** The modules of Node that have these globals. */
const SOURCES = {
  timers: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
  perf_hooks: ['performance'],
  buffer: ['Buffer'],
  url: ['URL', 'URLSearchParams'],
  util: ['TextDecoder', 'TextEncoder'],
}
/** These are in none. A DOM environment may lack them, or have those of another realm. */
const globals = ['queueMicrotask', 'structuredClone', 'Date', 'Math', 'Uint8Array', 'ArrayBuffer']
/** Node loads an HTTP client with the first of these, which most commands never use. */
const lazyClasses = ['Headers', 'Request', 'Response']
const names = [...Object.values(SOURCES).flat(), ...globals, ...lazyClasses]

/**
 * Creates a plugin that replaces globals in each module of a bundle, packages included, by Node's
 * own. The kit shares a process with tests, which fake the global ones (with a clock that never
 * advances, no call to a host would end), and with DOM environments, which lack some.
 */
export function ownGlobalsPlugin(): Plugin {
  return {
    name: 'bridge-inspector:own-globals',
    apply: 'build',
    enforce: 'pre',
    config: () => ({
      build: {
        rolldownOptions: {
          transform: { inject: Object.fromEntries(names.map((name) => [name, [MODULE_ID, name]])) },
        },
      },
    }),
    resolveId: (id) => (id === MODULE_ID ? `\0${id}` : null),
    load: (id) => (id === `\0${MODULE_ID}` ? createModule() : null),
  }
}

/** Code that runs in this context sees the globals of Node, also where a test has others. */
function createModule(): string {
  const builtins = Object.entries(SOURCES).map(
    ([id, members]) => `export const { ${members.join(', ')} } = process.getBuiltinModule('node:${id}')`,
  )
  return `const { runInThisContext } = process.getBuiltinModule('node:vm')
${builtins.join('\n')}
${globals.map((name) => `export const ${name} = runInThisContext('${name}')`).join('\n')}
// The classes of fetch call these globals, which a test may have replaced.
let calledGlobals = null
const loadCalledGlobals = () => ({
  AbortController: process.getBuiltinModule('node:util').transferableAbortController().constructor,
  ReadableStream: process.getBuiltinModule('node:stream/web').ReadableStream,
  URL,
  Math,
  Uint8Array,
})
const withOwnGlobals = (call) => {
  const own = Object.entries((calledGlobals ??= loadCalledGlobals()))
  const replaced = own.map(([name]) => [name, Object.getOwnPropertyDescriptor(globalThis, name)])
  for (const [name, value] of own)
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  try {
    return call()
  } finally {
    for (const [name, descriptor] of replaced)
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else delete globalThis[name]
  }
}
const defer = (name, toValues = (...values) => values) => {
  let loaded = null
  const load = () => (loaded ??= withOwnGlobals(() => runInThisContext(name)))
  return new Proxy(function () {}, {
    construct: (_, values) => withOwnGlobals(() => new (load())(...toValues(...values))),
    get: (_, member) => load()[member],
  })
}
// A body of text or bytes calls globals when it is read. Of a stream they are Node's own.
const toStream = (body) => {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) return body
  const { Readable } = process.getBuiltinModule('node:stream')
  return Readable.toWeb(Readable.from([Buffer.from(body)]))
}
export const Headers = defer('Headers')
export const Request = defer('Request', (url, init) => [url, { ...init, body: toStream(init?.body), duplex: 'half' }])
export const Response = defer('Response', (body, init) => [toStream(body), init])
`
}
