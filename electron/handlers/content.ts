import { refused } from '../../shared/errors.ts'
import type { Contents } from '../services/content/service.ts'
import type { Handlers } from './types.ts'

/** Asks the user where to save a file of this name; null if they cancel. */
export type ChooseFile = (name: string) => Promise<string | null>

/** `chooseFile` is null if the page saves files itself (in a browser). */
export function contentHandlers(
  contents: Contents,
  chooseFile: ChooseFile | null,
): Pick<Handlers, Extract<keyof Handlers, `content.${string}`>> {
  return {
    'content.open': (input, { caller, signal }) => contents.open(input, caller, signal),
    'content.release': ({ handle }, { caller }) => {
      contents.release(handle, caller)
      return {}
    },
    'content.slice': ({ handle, start, end }, { caller, signal }) => contents.slice(handle, start, end, caller, signal),
    'content.save': async ({ handle }, { caller, signal }) => {
      if (!chooseFile) throw refused('SAVE_IN_PAGE', 'Only the desktop app has its own save dialog.')
      return { saved: await contents.save(handle, caller, chooseFile, signal) }
    },
  }
}
