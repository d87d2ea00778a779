// SPDX-License-Identifier: Apache-2.0
//
// java -cp ARX.jar:CLASSES ArxRelease TABLE HIERARCHY_PREFIX global|local LIMIT OUT MODEL...
//
// A release by ARX, which the reader has installed. MODEL is k=5, or NAME=VALUE:COLUMN with NAME l, t-equal, t-hierarchical, t-ordered, beta or
// enhanced-beta. A column that a model names is sensitive; every other one is a quasi column with the hierarchy file PREFIXcolumn.csv. LIMIT is the share of
// the rows that may be suppressed. local is ARX's local recoding: at least a hundredth of the rows per round.
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.BasicBLikeness;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EnhancedBLikeness;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.HierarchicalDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.OrderedDistanceTCloseness;
import org.deidentifier.arx.criteria.PrivacyCriterion;
import org.deidentifier.arx.metric.Metric;

public class ArxRelease {
  public static void main(String[] args) throws Exception {
    Data data = Data.create(args[0], StandardCharsets.UTF_8, ';');
    ARXConfiguration configuration = ARXConfiguration.create();
    configuration.setSuppressionLimit(Double.parseDouble(args[3]));
    configuration.setQualityModel(Metric.createLossMetric(args[2].equals("local") ? 0d : 0.5d));
    Set<String> sensitive = new HashSet<>();
    for (int i = 5; i < args.length; i++) {
      String[] model = args[i].split("[=:]", 3);
      configuration.addPrivacyModel(modelOf(model, args[1]));
      if (model.length < 3) continue;
      sensitive.add(model[2]);
      data.getDefinition().setAttributeType(model[2], AttributeType.SENSITIVE_ATTRIBUTE);
      if (model[0].equals("t-ordered")) data.getDefinition().setDataType(model[2], DataType.INTEGER);
    }
    DataHandle handle = data.getHandle();
    for (int column = 0; column < handle.getNumColumns(); column++) {
      String name = handle.getAttributeName(column);
      if (!sensitive.contains(name)) data.getDefinition().setAttributeType(name, hierarchyOf(args[1], name));
    }
    ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
    DataHandle output = result.getOutput();
    if (output == null) {
      System.err.println("ARX found no release");
      System.exit(1);
    }
    if (args[2].equals("local")) result.optimizeIterativeFast(output, 0.01d);
    output.save(args[4], ';');
  }

  private static Hierarchy hierarchyOf(String prefix, String column) throws IOException {
    return Hierarchy.create(new File(prefix + column + ".csv"), StandardCharsets.UTF_8, ';');
  }

  private static PrivacyCriterion modelOf(String[] model, String prefix) throws IOException {
    double value = Double.parseDouble(model[1]);
    switch (model[0]) {
      case "k": return new KAnonymity((int) value);
      case "l": return new DistinctLDiversity(model[2], (int) value);
      case "t-equal": return new EqualDistanceTCloseness(model[2], value);
      case "t-hierarchical": return new HierarchicalDistanceTCloseness(model[2], value, hierarchyOf(prefix, model[2]));
      case "t-ordered": return new OrderedDistanceTCloseness(model[2], value);
      case "beta": return new BasicBLikeness(model[2], value);
      case "enhanced-beta": return new EnhancedBLikeness(model[2], value);
      default: throw new IllegalArgumentException("no model " + model[0]);
    }
  }
}
