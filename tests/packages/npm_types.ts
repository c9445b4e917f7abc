import { EMULATOR_KEY, OrreryServer, PROGRAM, startOrrery } from "orrery";

export async function use(): Promise<string> {
  const server: OrreryServer = await startOrrery({ data: "dir", throttle: true, options: ["--partitions", "3"] });
  const texts: string[] = [server.endpoint, server.key, server.connectionString, await server.certificate(), server.log];
  const port: number = server.port;
  await server.close();
  // @ts-expect-error: no such setting
  await startOrrery({ port: 1 });
  return texts.join() + port + EMULATOR_KEY + PROGRAM;
}
