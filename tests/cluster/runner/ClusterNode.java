import java.nio.file.Files;
import java.nio.file.Path;

import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * One OpenSearch node in a process of its own, until the process is killed.
 *
 * Arguments: the node's folder, then settings as `name=value`.
 */
public class ClusterNode {
    /** The tests use text analysis and HTTP. Searches, aggregations and the field type `wildcard` need no module. */
    private static final String MODULES = "org.opensearch.analysis.common.CommonAnalysisModulePlugin,"
            + "org.opensearch.index.mapper.MapperExtrasModulePlugin,"
            + "org.opensearch.transport.Netty4ModulePlugin";

    /** Warnings go to standard output, which the tests keep in a file. */
    private static final String LOGGING = """
            appender.console.type = Console
            appender.console.name = console
            appender.console.layout.type = PatternLayout
            appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %.-2000m%n%ex{12}
            rootLogger.level = warn
            rootLogger.appenderRef.console.ref = console
            """;

    public static void main(String[] args) throws Exception {
        String folder = args[0];
        Path config = Path.of(folder, "node_1", "config");
        Files.createDirectories(config);
        Files.writeString(config.resolve("log4j2.properties"), LOGGING);
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            for (int i = 1; i < args.length; i++) {
                String[] setting = args[i].split("=", 2);
                settings.put(setting[0], setting[1]);
            }
        });
        runner.build(OpenSearchRunner.newConfigs().basePath(folder).numOfNode(1).moduleTypes(MODULES).useLogger());
        // The threads of a node do not keep its process alive.
        Thread.currentThread().join();
    }
}
