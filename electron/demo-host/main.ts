import { exitWithError } from '../system/output.ts'
import { runDemoHost } from './run.ts'

process.exit(await runDemoHost(process.argv.slice(2)).catch(exitWithError))
