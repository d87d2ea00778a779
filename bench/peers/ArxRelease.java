// SPDX-License-Identifier: Apache-2.0
//
// java -cp ARX.jar ArxRelease.java TABLE HIERARCHY_PREFIX K global|local LIMIT OUT
//
// A k-anonymous release by ARX, which the reader has installed. Every column is a quasi column with the hierarchy file PREFIXcolumn.csv. LIMIT: share of the
// rows that may be suppressed. local: its local recoding, with at least a hundredth of the rows per round.
import java.io.File;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

public class ArxRelease {
  public static void main(String[] args) throws Exception {
    Data data = Data.create(args[0], StandardCharsets.UTF_8, ';');
    DataHandle handle = data.getHandle();
    for (int column = 0; column < handle.getNumColumns(); column++) {
      String name = handle.getAttributeName(column);
      Hierarchy hierarchy = Hierarchy.create(new File(args[1] + name + ".csv"), StandardCharsets.UTF_8, ';');
      data.getDefinition().setAttributeType(name, hierarchy);
    }
    ARXConfiguration configuration = ARXConfiguration.create();
    configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(args[2])));
    configuration.setSuppressionLimit(Double.parseDouble(args[4]));
    configuration.setQualityModel(Metric.createLossMetric(0d));
    ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
    DataHandle output = result.getOutput();
    if (output == null) {
      System.err.println("ARX found no release");
      System.exit(1);
    }
    if (args[3].equals("local")) result.optimizeIterativeFast(output, 0.01d);
    output.save(args[5], ';');
  }
}
