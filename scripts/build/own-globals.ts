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
const defer = (name) => {
  let loaded = null
  const load = () => (loaded ??= runInThisContext(name))
  return new Proxy(function () {}, {
    construct: (_, values) => new (load())(...values),
    get: (_, member) => load()[member],
  })
}
${builtins.join('\n')}
${globals.map((name) => `export const ${name} = runInThisContext('${name}')`).join('\n')}
${lazyClasses.map((name) => `export const ${name} = defer('${name}')`).join('\n')}
`
}
