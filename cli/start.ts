// The program's entry. Node keeps compiled code only of modules that are loaded after this call,
// and before 22.8 of none.
import module from 'node:module'
import { prepareCodeCache } from './base/code-cache.ts'

const folder = prepareCodeCache(process.env)
if (folder !== null) (module as Partial<typeof module>).enableCompileCache?.(folder)
await import('./main.ts')
