// Imported first by threads that stem words and send no requests. The stemmer looks at these globals while it loads, and
// Node then loads its HTTP client, which takes 60 ms in each thread. Deleting them does not load it; replacing them does.
// biome-ignore lint/style/noRestrictedGlobals: removes a way out instead of using it.
for (const name of ['Request', 'Response']) Reflect.deleteProperty(globalThis, name)
