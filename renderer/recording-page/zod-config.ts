import { z } from 'zod'

// The policy of the page has no unsafe-eval, so zod must not try to compile a schema. Schemas ask
// for this when they are made, which is before the first line of main.ts.
z.config({ jitless: true })
