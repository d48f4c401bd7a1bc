import type { Plugin } from 'vite'

const MODULE_ID = 'virtual:own-clock'

/** The modules of Node that have these globals; dates are in none. */
const SOURCES = {
  "process.getBuiltinModule('node:timers')": [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ],
  "process.getBuiltinModule('node:perf_hooks')": ['performance'],
  globalThis: ['queueMicrotask', 'Date'],
}
const globalNames = Object.values(SOURCES).flat()

/**
 * Creates a plugin that replaces timers and dates in each module of a bundle, packages included, by
 * those that were there when the bundle was loaded. The kit shares a process with tests, which fake
 * the global ones: with a clock that never advances, no call to a host would end.
 */
export function ownClockPlugin(): Plugin {
  return {
    name: 'bridge-inspector:own-clock',
    apply: 'build',
    enforce: 'pre',
    config: () => ({
      build: {
        rolldownOptions: {
          transform: { inject: Object.fromEntries(globalNames.map((name) => [name, [MODULE_ID, name]])) },
        },
      },
    }),
    resolveId: (id) => (id === MODULE_ID ? `\0${id}` : null),
    load: (id) => (id === `\0${MODULE_ID}` ? createModule() : null),
  }
}

const createModule = (): string =>
  Object.entries(SOURCES)
    .map(([source, names]) => `export const { ${names.join(', ')} } = ${source}`)
    .join('\n')
