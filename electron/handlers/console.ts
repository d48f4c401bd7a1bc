import type { ConsoleFiles } from '../services/console/console.ts'
import type { Handlers } from './types.ts'

/** What the console keeps: each method to one call of the service. */
export function consoleHandlers(files: ConsoleFiles): Pick<Handlers, Extract<keyof Handlers, `console.${string}`>> {
  return {
    'console.collections': () => files.collections(),
    'console.saveCollection': (collection) => {
      files.saveCollection(collection)
      return {}
    },
    'console.removeCollection': ({ id }) => {
      files.removeCollection(id)
      return {}
    },
    'console.setFolder': ({ folder }) => files.setFolder(folder),
    'console.tabs': () => files.tabs(),
    'console.saveTabs': (tabs) => {
      files.saveTabs(tabs)
      return {}
    },
  }
}
